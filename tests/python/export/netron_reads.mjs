// SPDX-License-Identifier: GPL-3.0-or-later
// Opens a file as the program Netron does, by its own readers, and prints what its window would draw:
// node netron_reads.mjs FOLDER_OF_NETRON FILE
import * as fs from 'fs';
import * as path from 'path';
import { pathToFileURL } from 'url';

const [folder, file] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(path.join(folder, name)).href);
const base = await load('base.js');
const view = await load('view.js');
const problems = [];
const host = {
    environment: () => null,
    require: (id) => load(`${id}.js`),
    request: (name, encoding) => fs.promises.readFile(path.join(folder, name), encoding),
    exception: (error) => problems.push(error.message),
    event: () => undefined,
};
const context = {
    identifier: path.basename(file),
    stream: new base.BinaryStream(new Uint8Array(fs.readFileSync(file))),
    entries: new Map(),
    require: (id) => load(`${id}.js`),
    asset: (name) => fs.promises.readFile(path.join(folder, name), 'utf-8'),
    fetch: (name) => { throw new Error(`${name} is asked for`); },
    error: (error) => problems.push(error.message),
};
const model = await new view.ModelFactoryService(host).open(context);

// Every value that the window reads of a graph: names, types, operators with their metadata, attributes, tensors, inner graphs.
const told = (graph) => {
    const named = (part) => part.value.map((value) => `${value.name}: ${value.type}`);
    const operators = {}, inner = [], unknown = new Set();
    let tensors = 0;
    for (const node of graph.nodes) {
        operators[node.type.name] = (operators[node.type.name] || 0) + 1;
        if (!node.type.description) {
            unknown.add(node.type.name);
        }
        for (const value of [...node.inputs, ...node.outputs].flatMap((part) => part.value)) {
            if (value.initializer) {
                tensors += String(value.initializer.type).length > 0 ? 1 : 0;
            }
        }
        for (const attribute of node.attributes || []) {
            if (attribute.type === 'graph') {
                inner.push(told(attribute.value));
            }
        }
    }
    return { inputs: graph.inputs.flatMap(named), outputs: graph.outputs.flatMap(named), operators, unknown: [...unknown], tensors, inner };
};
const graphs = (model.modules || model.graphs).map(told);
console.log(JSON.stringify({ format: model.format, producer: model.producer, graphs, problems }));
