// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Mermaid's notation, which GitHub and many editors show.
struct MermaidDrawing {
    private let picture: PlanPicture

    init(_ picture: PlanPicture) { self.picture = picture }

    func text() -> String {
        var lines = ["flowchart LR"]
        var numbers: [String: Int] = [:]
        for (number, node) in picture.nodes.enumerated() {
            numbers[node.name] = numbers[node.name] ?? number
            let label = "\(Self.escaped(node.name))<br/>\(Self.escaped(DrawingWords.detail(node)))"
            let shape = node.kind == .subject ? ("([", "])") : node.kind == .folder ? ("[/", "/]") : ("[", "]")
            lines.append("  n\(number)\(shape.0)\"\(label)\"\(shape.1):::\(Self.className(node.rule))")
        }
        for edge in picture.edges {
            guard let from = numbers[edge.from], let to = numbers[edge.to] else { continue }
            let arrow = edge.isUnlinked || edge.key == nil ? "-.->" : "-->"
            lines.append("  n\(from) \(arrow)|\"\(Self.escaped(edge.by))\"| n\(to)")
        }
        for rule in DrawingWords.rules {
            lines.append(
                "  classDef \(Self.className(rule)) fill:\(RuleColour(of: rule).fill),"
                    + "stroke:\(RuleColour(of: rule).line),color:#1b1f24")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func className(_ rule: String) -> String { rule.replacing(" ", with: "") }

    /// Everything that is not a letter, a digit or harmless becomes a numbered character.
    private static func escaped(_ text: String) -> String {
        Shown.line(text, limit: 200).unicodeScalars.map { scalar in
            let isPlain = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            return isPlain || " ._-,·{}/→".unicodeScalars.contains(scalar) ? String(scalar) : "#\(scalar.value);"
        }.joined()
    }
}
