// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// Draws the deletion graph of a plan, coloured by rule: `farewell plan --format …`.
public enum PlanDrawing {
    /// The notation of a drawing: a tree for the terminal, Graphviz, a picture, Mermaid, or data.
    public enum Format: String, Sendable, Hashable, CaseIterable { case text, dot, svg, mermaid, json }

    /// The drawing as text in the format's own notation.
    ///
    /// - Parameters:
    ///   - schema: the live schema, to show unaccounted tables and columns in red.
    ///   - rows: the subject's rows by table, if they were counted.
    ///   - paint: how a terminal shows words of a rule in the tree; the other formats have their own colours.
    public static func draw(
        _ plan: Plan, schema: Schema? = nil, rows: [TableName: Int] = [:], as format: Format,
        painting paint: @escaping (_ rule: String, _ words: String) -> String = { _, words in words }
    ) -> String {
        let picture = PlanPicture(plan, schema: schema, rows: rows)
        return switch format {
        case .text: TextDrawing(picture, painting: paint).text()
        case .dot: DotDrawing(picture).text()
        case .svg: SVGDrawing(picture).text()
        case .mermaid: MermaidDrawing(picture).text()
        case .json: json(picture)
        }
    }

    private static func json(_ picture: PlanPicture) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(picture) else { return "{}\n" }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}

/// A drawing's words that every format uses.
enum DrawingWords {
    /// The words of rules that are explained by their colours.
    static let rules = Rule.words + ["unaccounted"]

    /// `erase · 12 rows`, with other facts.
    static func detail(
        _ node: PlanPicture.Node, painting paint: (_ rule: String, _ words: String) -> String = { _, words in words }
    ) -> String {
        var parts = [paint(node.rule, node.kind == .folder ? "files, erase" : node.rule)]
        if let rows = node.rows { parts.append(rows == 1 ? "1 row" : "\(rows) rows") }
        let missing = node.unaccountedColumns.count
        if missing > 0, node.rule != "unaccounted" {
            parts.append(paint("unaccounted", "\(missing) column\(missing == 1 ? "" : "s") unaccounted"))
        }
        return parts.joined(separator: " · ")
    }
}
