# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings runs to the trackers of others, by their own libraries: TensorBoard, MLflow, Weights & Biases."""
