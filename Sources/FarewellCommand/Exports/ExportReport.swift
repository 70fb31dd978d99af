// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellErasure
import FarewellKeys
import Foundation

/// The contents of an export, in words.
struct ExportReport {
    let manifest: ExportManifest

    init(_ manifest: ExportManifest) { self.manifest = manifest }

    func say(on terminal: Terminal) {
        var table = TextTable(["place", "rows", "left out"], numbers: [1])
        for place in manifest.tables where place.rows > 0 {
            let omitted = place.areOthers ? "all but the reference to the subject" : Self.omitted(of: place)
            table.add([place.place, Words.grouped(place.rows), omitted])
        }
        for folder in manifest.folders { table.add([folder.place, Words.grouped(folder.files), ""]) }
        table.lines(width: terminal.width).forEach { terminal.line($0) }
        for one in manifest.notExported {
            terminal.line(terminal.dim("  not exported: \(Terminal.printable("\(one.about): \(one.reason)"))"))
        }
        terminal.line()
        let files = manifest.folders.reduce(0) { $0 + $1.files }
        let rows = manifest.rows
        let others = rows.others == 0 ? "" : " References in other users' rows: \(Words.grouped(rows.others))."
        if let earlier = manifest.earlier {
            terminal.line(
                "Continued an interrupted export: \(Words.count(earlier.files, "file")) (\(earlier.bytes) bytes) were "
                    + "complete and unchanged, everything else was read again.")
        }
        terminal.line("\(Words.count(rows.own, "row")) and \(Words.count(files, "file")) exported.\(others)")
    }

    private static func omitted(of place: ExportManifest.Table) -> String {
        let (whole, inPart) = place.omittedNames
        return (whole + inPart.map { "\($0) (in part)" }).joined(separator: ", ")
    }
}
