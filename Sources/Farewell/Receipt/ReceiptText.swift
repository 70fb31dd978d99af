// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A receipt as plain text for a terminal or a letter.
public enum ReceiptText {
    /// Lines ending in `\n`, without colour. Characters that could move a cursor or turn text round are replaced.
    public static func text(_ receipt: Receipt) -> String {
        var lines = [
            "Receipt of erasure \(receipt.id.text)",
            ReceiptWords.summary(of: receipt),
            "",
            "Requested  \(UTCTime.text(receipt.requestedAt))",
            "Finished   \(UTCTime.text(receipt.finishedAt))",
            "Issued     \(UTCTime.text(receipt.issuedAt))",
            "",
        ]
        for step in receipt.steps {
            lines.append("\(step.name) (\(step.store)): \(ReceiptWords.outcome(step.outcome))")
        }
        lines += ["", "Counts"] + table(receipt)
        if !receipt.retained.isEmpty {
            lines += ["", "What remains"] + receipt.retained.map { remains($0, of: receipt) }
        }
        lines += ["", "How it was checked"]
        lines.append("  " + ReceiptWords.readBack(receipt.verification.readBack))
        lines += ReceiptWords.deepScan(receipt.verification.deepScan).map { "  " + $0 }
        lines.append("  " + ReceiptWords.residue(receipt.verification.residue))
        lines += notes("What cannot be checked", receipt.notVerifiable)
        lines += notes("What is not included", receipt.outOfScope)
        return lines.map { printable($0) + "\n" }.joined()
    }

    private static func table(_ receipt: Receipt) -> [String] {
        var total = receipt.totals
        total.place = "Total"
        let rows =
            [["", "erased", "made anonymous", "kept"]]
            + (receipt.steps.flatMap(\.places) + [total]).map { count in
                [count.place] + [count.erased, count.anonymised, count.retained].map(ReceiptWords.grouped)
            }
        let widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { index, cell in
                let blank = String(repeating: " ", count: widths[index] - cell.count)
                return index == 0 ? cell + blank : blank + cell
            }
            return "  " + cells.joined(separator: "  ")
        }
    }

    private static func remains(_ place: RetainedPlace, of receipt: Receipt) -> String {
        let until =
            place.until.map { day in
                ReceiptWords.isOver(day, in: receipt)
                    ? " The retention ended on \(day); it is processed next." : " Until \(day)."
            } ?? " No end is set."
        let rows = ReceiptWords.count(place.rows, "row", "rows")
        return "  \(place.place): \(rows). \(ReceiptWords.sentence(place.reason))\(until)"
    }

    private static func notes(_ title: String, _ notes: [ReceiptNote]) -> [String] {
        notes.isEmpty ? [] : ["", title] + notes.map { "  \($0.about): \(ReceiptWords.note($0))" }
    }

    /// Control and format characters (escape sequences, direction marks) as `U+FFFD`.
    static func printable(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: scalars.append("\u{FFFD}")
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
