// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// A tree for the terminal. A table that several links reach is below the first; the others are named.
struct TextDrawing {
    private let picture: PlanPicture
    private let paint: (_ rule: String, _ words: String) -> String
    private let children: [String: [PlanPicture.Edge]]
    private let links: [String: [PlanPicture.Edge]]

    init(_ picture: PlanPicture, painting paint: @escaping (_ rule: String, _ words: String) -> String) {
        self.picture = picture
        self.paint = paint
        let distances = Dictionary(
            picture.nodes.map { ($0.name, $0.distance ?? .max) }, uniquingKeysWith: { first, _ in first })
        var taken: Set<String> = []
        var children: [String: [PlanPicture.Edge]] = [:]
        for edge in picture.edges where edge.from != edge.to {
            let isNearer = (distances[edge.from] ?? .max) < (distances[edge.to] ?? .max)
            if isNearer, taken.insert(edge.to).inserted { children[edge.from, default: []].append(edge) }
        }
        self.children = children
        links = Dictionary(grouping: picture.edges, by: \.to)
    }

    func text() -> String {
        var lines: [String] = []
        let byName = Dictionary(picture.nodes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for root in picture.nodes where root.kind == .subject {
            lines.append(line(root))
            descend(root.name, byName, &lines)
        }
        lines += group("unaccounted for:", picture.nodes.filter { $0.rule == "unaccounted" })
        let shown: (PlanPicture.Node) -> Bool = { $0.distance != nil || $0.rule == "unaccounted" }
        lines += group("not personal:", picture.nodes.filter { $0.rule == Rule.notPersonal.word })
        lines += group(
            "not linked to the subject:", picture.nodes.filter { !shown($0) && $0.rule != Rule.notPersonal.word })
        return lines.joined(separator: "\n") + "\n"
    }

    /// A pending node, and the text before it.
    private typealias Branch = (name: String, indent: String, isLast: Bool)

    /// Depth first with a stack of its own, so that a chain of ten thousand tables needs no deep recursion.
    private func descend(_ root: String, _ byName: [String: PlanPicture.Node], _ lines: inout [String]) {
        var open = branches(of: root, "")
        while let (name, indent, isLast) = open.popLast() {
            guard let node = byName[name] else { continue }
            lines.append(indent + (isLast ? "└─ " : "├─ ") + line(node))
            open += branches(of: name, indent + (isLast ? "   " : "│  "))
        }
    }

    /// The branches below a node, the last first.
    private func branches(of name: String, _ indent: String) -> [Branch] {
        (children[name] ?? []).reversed().enumerated().map { place, edge in (edge.to, indent, place == 0) }
    }

    private func line(_ node: PlanPicture.Node) -> String {
        let links = (self.links[node.name] ?? []).map { edge in
            let key = edge.key ?? (node.kind == .folder ? "" : "declared")
            let parts = [Shown.line(edge.by, limit: 80), key, edge.isUnlinked ? "(row stays)" : ""]
            return parts.filter { !$0.isEmpty }.joined(separator: " ")
        }
        let by = links.isEmpty ? "" : "  by \(links.joined(separator: "; "))"
        let note = node.note.map { "  — \(Shown.line($0, limit: 100))" } ?? ""
        return "\(Shown.line(node.name, limit: 120))  [\(DrawingWords.detail(node, painting: paint))]\(by)\(note)"
    }

    private func group(_ title: String, _ nodes: [PlanPicture.Node]) -> [String] {
        guard !nodes.isEmpty else { return [] }
        return ["", title] + nodes.map { "  " + paint($0.rule, Shown.line($0.name, limit: 120)) }
    }
}
