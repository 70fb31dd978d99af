// SPDX-License-Identifier: Apache-2.0

import Farewell

/// One self-contained SVG picture: the subject at the left, erased places to the right, everything else below. Every
/// box contains its rule in words, so that nothing depends on colour.
struct SVGDrawing {
    private static let box = (width: 236, height: 62)
    private static let gap = (x: 84, y: 18)
    private static let margin = 28
    private static let head = 92
    /// Tables that are not personal are shown up to this many; the rest is counted.
    private static let othersShown = 120

    private struct Box {
        var x: Int
        var y: Int
        let node: PlanPicture.Node
    }

    private let picture: PlanPicture

    init(_ picture: PlanPicture) { self.picture = picture }

    func text() -> String {
        let placed = picture.nodes.filter { $0.distance != nil && $0.rule != Rule.notPersonal.word }
        let (boxes, bottom, right) = boxes(placed)
        var body = boxes.isEmpty ? [] : edges(boxes)
        body += boxes.map(drawn)
        let width = max(right, 980)
        var y = bottom
        let loose = picture.nodes.filter { $0.distance == nil && $0.rule != Rule.notPersonal.word }
        let others = picture.nodes.filter { $0.rule == Rule.notPersonal.word }
        body += section("Not accounted for, or not linked", loose, &y, width)
        body += section("Not personal", others, &y, width)
        let height = y + Self.margin
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            viewBox="0 0 \(width) \(height)" role="img" aria-labelledby="title desc" \
            font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif">
            <title id="title">\(Self.escaped(title))</title>
            <desc id="desc">\(Self.escaped(description))</desc>
            <defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" \
            orient="auto"><path d="M0,0.5 L8,4 L0,7.5 z" fill="#5b636d"/></marker></defs>
            <rect width="\(width)" height="\(height)" fill="#ffffff"/>
            \(legend().joined(separator: "\n"))
            \(body.joined(separator: "\n"))
            </svg>

            """
    }

    private var title: String {
        "Erasure of a user in \(picture.nodes.first { $0.kind == .subject }?.name ?? "this plan")"
    }

    private var description: String {
        let counts = DrawingWords.rules.compactMap { rule -> String? in
            let count = picture.nodes.count { $0.rule == rule }
            return count == 0 ? nil : "\(count) \(rule)"
        }
        let links = picture.edges.prefix(200).map { "\($0.to) follows \($0.from) by \($0.by)" }
        return "Tables by rule: \(counts.joined(separator: ", ")). \(links.joined(separator: "; "))."
    }

    /// Boxes in columns, each column centred on the tallest.
    private func boxes(_ nodes: [PlanPicture.Node]) -> (boxes: [Box], bottom: Int, right: Int) {
        let numbers = Dictionary(nodes.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        let edges = picture.edges.compactMap { edge -> (from: Int, to: Int)? in
            guard let from = numbers[edge.from], let to = numbers[edge.to] else { return nil }
            return (from, to)
        }
        let columns = LayeredLayout(distances: nodes.map(\.distance), edges: edges).columns
        let tallest = columns.map(\.count).max() ?? 0
        let pitch = (x: Self.box.width + Self.gap.x, y: Self.box.height + Self.gap.y)
        var boxes: [Box] = []
        for (index, column) in columns.enumerated() {
            let top = Self.head + (tallest - column.count) * pitch.y / 2
            for (place, node) in column.enumerated() {
                boxes.append(Box(x: Self.margin + index * pitch.x, y: top + place * pitch.y, node: nodes[node]))
            }
        }
        let right = Self.margin * 2 + max(1, columns.count) * pitch.x - Self.gap.x
        return (boxes, Self.head + tallest * pitch.y, right)
    }

    private func edges(_ boxes: [Box]) -> [String] {
        let byName = Dictionary(boxes.map { ($0.node.name, $0) }, uniquingKeysWith: { first, _ in first })
        var seen: Set<[String]> = []
        return picture.edges.compactMap { edge in
            guard let from = byName[edge.from], let to = byName[edge.to] else { return nil }
            let style = edge.isUnlinked ? "1 5" : edge.key == nil ? "7 4" : ""
            guard seen.insert([edge.from, edge.to, style]).inserted else { return nil }
            let dash = style.isEmpty ? "" : " stroke-dasharray=\"\(style)\""
            return "<path d=\"\(path(from, to))\" fill=\"none\" stroke=\"#5b636d\" stroke-width=\"1.4\"\(dash) "
                + "marker-end=\"url(#tip)\"><title>\(Self.escaped("\(edge.to) by \(edge.by)"))</title></path>"
        }
    }

    private func path(_ from: Box, _ to: Box) -> String {
        let middle = Self.box.height / 2
        if from.x < to.x {
            let (x1, y1, x2, y2) = (from.x + Self.box.width, from.y + middle, to.x - 1, to.y + middle)
            let bend = (x2 - x1) / 2
            return "M\(x1),\(y1) C\(x1 + bend),\(y1) \(x2 - bend),\(y2) \(x2),\(y2)"
        }
        // Within a column, to itself or back: around the right side.
        let (x1, y1, x2, y2) = (
            from.x + Self.box.width, from.y + middle - 10, to.x + Self.box.width + 1, to.y + middle + 10
        )
        let out = max(x1, x2) + 44
        return "M\(x1),\(y1) C\(out),\(y1) \(out),\(y2) \(x2),\(y2)"
    }

    private func drawn(_ box: Box) -> String {
        let node = box.node
        let isIncomplete = !node.unaccountedColumns.isEmpty
        let line = RuleColour(of: isIncomplete ? "unaccounted" : node.rule).line
        let stroke = node.kind == .subject || isIncomplete ? 2.6 : 1.3
        let links = picture.edges.filter { $0.to == node.name }.map(\.by)
        let third = node.note ?? (links.isEmpty ? "the person's own row" : "by \(links.joined(separator: "; "))")
        let radius = node.kind == .folder ? 0 : 8
        let tip = "\(node.name): \(DrawingWords.detail(node))\(node.note.map { ", \($0)" } ?? "")"
        return """
            <g><title>\(Self.escaped(tip))</title>\
            <rect x="\(box.x)" y="\(box.y)" width="\(Self.box.width)" height="\(Self.box.height)" rx="\(radius)" \
            fill="\(RuleColour(of: node.rule).fill)" stroke="\(line)" stroke-width="\(stroke)"/>\
            \(text(box.x + 12, box.y + 21, node.name, 27, "font-size=\"13\" font-weight=\"600\" fill=\"#1b1f24\""))\
            \(text(box.x + 12, box.y + 38, DrawingWords.detail(node), 36, "font-size=\"11\" fill=\"\(line)\""))\
            \(text(box.x + 12, box.y + 53, third, 38, "font-size=\"10.5\" fill=\"#4a525c\""))</g>
            """
    }

    /// A titled grid of small boxes.
    private func section(_ title: String, _ nodes: [PlanPicture.Node], _ y: inout Int, _ width: Int) -> [String] {
        guard !nodes.isEmpty else { return [] }
        var lines = [
            text(
                Self.margin, y + 26, "\(title) (\(nodes.count))", 80,
                "font-size=\"12.5\" font-weight=\"600\" fill=\"#4a525c\"")
        ]
        let pitch = (x: 220, y: 32)
        let perRow = max(1, (width - 2 * Self.margin + 12) / pitch.x)
        let shown = nodes.prefix(Self.othersShown)
        for (index, node) in shown.enumerated() {
            let (x, top) = (Self.margin + index % perRow * pitch.x, y + 38 + index / perRow * pitch.y)
            let rule = node.unaccountedColumns.isEmpty ? node.rule : "unaccounted"
            lines.append(
                """
                <g><title>\(Self.escaped("\(node.name): \(DrawingWords.detail(node))"))</title>\
                <rect x="\(x)" y="\(top)" width="\(pitch.x - 12)" height="\(pitch.y - 8)" rx="5" \
                fill="\(RuleColour(of: rule).fill)" stroke="\(RuleColour(of: rule).line)"/>\
                \(text(x + 9, top + 16, node.name, 30, "font-size=\"11\" fill=\"#1b1f24\""))</g>
                """)
        }
        y += 44 + (shown.count + perRow - 1) / perRow * pitch.y
        if nodes.count > shown.count {
            lines.append(
                text(
                    Self.margin, y + 10, "and \(nodes.count - shown.count) more", 60,
                    "font-size=\"11\" fill=\"#4a525c\""))
            y += 20
        }
        return lines
    }

    private func legend() -> [String] {
        var lines = [text(Self.margin, 34, title, 110, "font-size=\"16\" font-weight=\"600\" fill=\"#1b1f24\"")]
        var x = Self.margin
        for rule in DrawingWords.rules {
            lines.append(
                "<rect x=\"\(x)\" y=\"52\" width=\"14\" height=\"14\" rx=\"3\" fill=\"\(RuleColour(of: rule).fill)\" "
                    + "stroke=\"\(RuleColour(of: rule).line)\"/>")
            lines.append(text(x + 20, 63, rule, 20, "font-size=\"11.5\" fill=\"#1b1f24\""))
            x += 44 + rule.count * 7
        }
        for (name, dash) in [("foreign key", ""), ("declared link", "7 4"), ("row stays", "1 5")] {
            lines.append(
                "<path d=\"M\(x),59 h34\" stroke=\"#5b636d\" stroke-width=\"1.4\""
                    + "\(dash.isEmpty ? "" : " stroke-dasharray=\"\(dash)\"") marker-end=\"url(#tip)\"/>")
            lines.append(text(x + 42, 63, name, 30, "font-size=\"11.5\" fill=\"#1b1f24\""))
            x += 66 + name.count * 7
        }
        return lines
    }

    private func text(_ x: Int, _ y: Int, _ words: String, _ limit: Int, _ style: String) -> String {
        "<text x=\"\(x)\" y=\"\(y)\" \(style)>\(Self.escaped(Shown.line(words, limit: limit)))</text>"
    }

    private static func escaped(_ text: String) -> String { MarkupText.escaped(Shown.line(text, limit: 20_000)) }
}
