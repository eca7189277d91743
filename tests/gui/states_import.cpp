// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/import_command.h"
#include "tests/gui/parts.h"
#include "tests/gui/stand_in_program.h"
#include "tests/gui/states.h"
#include "tests/gui/waiting.h"

#include <QLineEdit>

namespace unroll::test {

namespace {

/// A backslash at the end of a line joins it with the next.
constexpr const char* kTwoLstms = R"~(cat <<LINES
{"kind":"node","node":"embedding","block":"embedding","source":"torch.nn.Embedding","form":"","weights":[\
{"name":"embedding.weight","shape":[64,128],"from":"model.embedding.weight","done":""}],\
"notes":["row i is taken for class i of the node's data, which the file cannot tell"]}
{"kind":"node","node":"lstm","block":"lstm","source":"keras.layers.LSTM","form":"","weights":[\
{"name":"lstm.weight_ih_l0","shape":[1024,128],"from":"lstm/cell/kernel","done":"transposed"},\
{"name":"lstm.weight_hh_l0","shape":[1024,256],"from":"lstm/cell/recurrent_kernel","done":"transposed"},\
{"name":"lstm.bias_ih_l0","shape":[1024],"from":"lstm/cell/bias","done":""}],"notes":[]}
{"kind":"end","tensors":4,"left":["lstm_2 (lstm)","head (head)"],"unused":["optimizer.step"],"out":""}
LINES
)~";

ImportDialog& importDialog(Studio& studio)
{
    ImportDialog& dialog = *studio.window.findChild<ImportCommand*>()->showDialog();
    partNamed<QLineEdit>(dialog, "importTarget").setText("/home/ada/models/fable-weights.safetensors");
    (void)QTest::qWaitForWindowExposed(&dialog);
    settle(dialog);
    return dialog;
}

void shownMapping(Studio& studio)
{
    const StandInCli cli(studio.folder.filePath("cli"), kTwoLstms);
    ImportDialog& dialog = importDialog(studio);
    dialog.setWeights("/home/ada/models/encoder.pt"); // the same in every picture
    (void)comes([&] { return dialog.isShown(); });
    settle(dialog);
}

void refusedImport(Studio& studio)
{
    const StandInCli cli(studio.folder.filePath("cli"),
                         "echo 'error: the LSTM has units 512, and the node has units = 256' >&2; exit 1\n");
    ImportDialog& dialog = importDialog(studio);
    dialog.setWeights("/home/ada/models/encoder.pt");
    (void)comes([&] { return dialog.note().contains("512"); });
    settle(dialog);
}

} // namespace

std::vector<StudioState> importStates()
{
    return {{"import-empty", [](Studio& studio) { importDialog(studio); }},
            {"import-shown", shownMapping},
            {"import-refused", refusedImport}};
}

} // namespace unroll::test
