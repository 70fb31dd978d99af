// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSQL

/// A preview in words, as `preview` and `erase` show it.
struct PreviewText {
    /// The most places that one line names.
    private static let mostPlaces = 10

    let preview: Preview

    init(_ preview: Preview) { self.preview = preview }

    func say(on terminal: Terminal) {
        sayPlaces(on: terminal)
        sayUnsearched(on: terminal)
        terminal.line()
        terminal.line(summary)
        for table in preview.unknownTables {
            terminal.paragraph(
                "! ", "\(table.place) is \(table.reason). An erasure would not search it.", terminal.yellow)
        }
        for view in preview.copyingViews {
            terminal.paragraph(
                "! ", "\(view.place) is \(view.reason). Without --deep, an erasure would not search it.",
                terminal.yellow)
        }
        for system in preview.unreachable {
            terminal.line()
            terminal.paragraph("✗ ", "An erasure would stop at \(system.system). \(system.message)", terminal.red)
            if let remedy = system.remedy { terminal.paragraph("  → ", remedy) }
        }
        sayNames(on: terminal)
        for blocker in preview.blockers { say(blocker, on: terminal) }
    }

    /// The places with data, and what would happen to it.
    private func sayPlaces(on terminal: Terminal) {
        var table = TextTable(["place", "rows", "what happens"], numbers: [1])
        for place in preview.places where place.count > 0 {
            table.add([place.place, Words.grouped(place.count), Self.fate(of: place)])
        }
        table.lines(width: terminal.width).forEach { terminal.line($0) }
        let shown = Set(preview.places.filter { $0.count > 0 }.map(\.place))
        let empty = Set(preview.places.map(\.place)).subtracting(shown).count
        if empty > 0 { terminal.line(terminal.dim("  and no data in \(Words.count(empty, "other planned place"))")) }
    }

    /// The places whose data was not counted.
    private func sayUnsearched(on terminal: Terminal) {
        let uncounted = preview.uncounted.filter { name in
            !preview.unreachable.contains { $0.system == name } && !preview.unnamed.contains(name)
        }
        if !uncounted.isEmpty {
            let names = Terminal.printable(uncounted.joined(separator: ", "))
            terminal.line(terminal.dim("  not counted, but erased as well: \(names)"))
        }
        guard !preview.notSearched.isEmpty else { return }
        let places = preview.notSearched.prefix(Self.mostPlaces).map { "\($0.place) (\($0.reason))" }
        let more = preview.notSearched.count - places.count
        let list = places.joined(separator: ", ") + (more > 0 ? ", and \(Words.grouped(more)) more" : "")
        terminal.line(terminal.dim("  not searched by --deep: \(Terminal.printable(list))"))
    }

    /// The names that match no file, or that others have as well.
    private func sayNames(on terminal: Terminal) {
        for (folder, names) in preview.unresolved.sorted(by: { $0.key < $1.key }) {
            terminal.line()
            terminal.paragraph(
                "✗ ",
                "\(folder): \(Words.count(names, "name")) of files in the rows match\(names == 1 ? "es" : "") no "
                    + "single file in the folder. The erasure would delete the rows and leave such files.",
                terminal.red)
            terminal.paragraph(
                "  → ", "Write paths relative to the folder's root, or addresses that name the folder.")
        }
        if !preview.unnamed.isEmpty {
            terminal.line()
            let places = preview.unnamed.joined(separator: ", ")
            terminal.paragraph(
                "✗ ",
                "\(places): the row that holds this subject's name there is gone, so the name is unknown. The erasure "
                    + "would leave data there, and its receipt would be incomplete.",
                terminal.red)
            terminal.paragraph("  → ", "Restore the row, or delete the data there by hand.")
        }
        for (system, names) in preview.shared.sorted(by: { $0.key < $1.key }) {
            terminal.line()
            terminal.paragraph(
                "! ",
                "\(system): \(Words.count(names, "name")) of the subject also belong\(names == 1 ? "s" : "") to "
                    + "others. The erasure would keep the data under \(names == 1 ? "this name" : "these names").",
                terminal.yellow)
        }
    }

    private func say(_ blocker: Blocker, on terminal: Terminal) {
        terminal.line()
        terminal.paragraph("✗ ", blocker.message, terminal.red)
        if !blocker.examples.isEmpty {
            let rows = Terminal.printable(blocker.examples.joined(separator: "; "))
            terminal.line(
                "  Rows of \(Terminal.printable(blocker.table.description)): \(rows)"
                    + (blocker.rows > blocker.examples.count ? "; …" : ""))
        }
        terminal.paragraph("  → ", blocker.remedy)
    }

    private static func fate(of place: Preview.Place) -> String {
        if place.isOthers { return "kept for other users, not linked to this one any more" }
        let size = place.bytes.map { " (\(Words.grouped($0)) bytes)" } ?? ""
        let start = place.unreadStart.map { " (from today: \(Terminal.printable($0)) holds no date)" } ?? ""
        return place.rule.fate(until: place.until, isOver: place.isOver) + start + size
    }

    private var summary: String {
        let none = preview.unknownTables.isEmpty ? "No row would stay." : "No planned row would stay."
        let kept = preview.kept == 0 ? none : "\(Words.count(preview.kept, "row")) would stay as shown."
        return "\(Words.count(preview.erased, "row")) would be deleted. \(kept)"
    }

    /// A preview for programs.
    struct Record: Encodable {
        struct Place: Encodable {
            let place: String
            let rule: String
            let count: Int
            let bytes: Int?
            let until: String?
            let isOver: Bool
            let unreadStart: String?
            let reason: String?
            let isOthers: Bool
        }

        struct Stop: Encodable {
            let table: String
            let columns: [String]
            let target: String
            let onDelete: String
            let rows: Int
            let examples: [String]
            /// The check constraint that refuses null; left out for a key.
            let check: String?
        }

        let erased: Int
        let kept: Int
        let places: [Place]
        let uncounted: [String]
        let unresolved: [String: Int]
        let unnamed: [String]
        let shared: [String: Int]
        let unreachable: [Preview.Unreachable]
        let blockers: [Stop]
        let notSearched: [UnsearchedPlace]
        let unknownTables: [UnsearchedPlace]
        let copyingViews: [UnsearchedPlace]

        init(_ preview: Preview) {
            erased = preview.erased
            kept = preview.kept
            places = preview.places.map { place in
                Place(
                    place: place.place, rule: place.rule.word, count: place.count, bytes: place.bytes,
                    until: place.until?.description, isOver: place.isOver,
                    unreadStart: place.unreadStart, reason: place.rule.retention?.reason, isOthers: place.isOthers)
            }
            uncounted = preview.uncounted
            unresolved = preview.unresolved
            unnamed = preview.unnamed
            shared = preview.shared
            unreachable = preview.unreachable
            notSearched = preview.notSearched
            unknownTables = preview.unknownTables
            copyingViews = preview.copyingViews
            blockers = preview.blockers.map {
                Stop(
                    table: $0.table.description, columns: $0.columns, target: $0.target.description,
                    onDelete: $0.onDelete.rawValue, rows: $0.rows, examples: $0.examples, check: $0.check)
            }
        }
    }
}
