// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Graphviz's notation.
struct DotDrawing {
    private let picture: PlanPicture

    init(_ picture: PlanPicture) { self.picture = picture }

    func text() -> String {
        var lines = [
            "digraph plan {", "  rankdir=LR;", "  bgcolor=\"white\";",
            "  node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=11];",
            "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#555555\"];",
        ]
        for node in picture.nodes {
            let rule = node.unaccountedColumns.isEmpty ? node.rule : "unaccounted"
            let label = "\(Self.escaped(node.name))\\n\(Self.escaped(DrawingWords.detail(node)))"
            let shape = node.kind == .folder ? ", shape=folder" : node.kind == .subject ? ", penwidth=2.5" : ""
            lines.append(
                "  \"\(Self.escaped(node.name))\" [label=\"\(label)\", "
                    + "fillcolor=\"\(RuleColour(of: node.rule).fill)\", "
                    + "color=\"\(RuleColour(of: rule).line)\"\(shape)];")
        }
        for edge in picture.edges {
            let style = edge.isUnlinked ? "dotted" : edge.key == nil ? "dashed" : "solid"
            lines.append(
                "  \"\(Self.escaped(edge.from))\" -> \"\(Self.escaped(edge.to))\" "
                    + "[label=\"\(Self.escaped(edge.by))\", style=\(style)];")
        }
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }

    private static func escaped(_ text: String) -> String {
        var written = String.UnicodeScalarView()
        for scalar in Shown.line(text, limit: 200).unicodeScalars {
            if scalar == "\"" || scalar == "\\" { written.append("\\") }
            written.append(scalar)
        }
        return String(written)
    }
}
