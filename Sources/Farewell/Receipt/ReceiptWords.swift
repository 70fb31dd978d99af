// SPDX-License-Identifier: Apache-2.0

/// The words that the readable forms of a receipt share.
enum ReceiptWords {
    static func summary(of receipt: Receipt) -> String {
        if !receipt.verification.foundNothing {
            return "Data that should be erased is left."
        }
        if receipt.notVerifiable.contains(where: { $0.about == ReceiptNote.unknownNames }) {
            return "Not everything was erased: in some places, the subject's name is not known."
        }
        if receipt.notVerifiable.contains(where: { $0.about == ReceiptNote.filesThatStay }) {
            return "Not everything was erased: some files also belong to others, or were not found."
        }
        if receipt.notVerifiable.contains(where: { $0.about == ReceiptNote.sharedNames }) {
            return "Not everything was erased: in other systems, data is kept under names that also belong to others."
        }
        if receipt.steps.contains(where: { $0.outcome == .failed }) { return "Not every step could be completed." }
        if receipt.steps.contains(where: { $0.outcome == .acknowledged || $0.outcome == .notVerifiable }) {
            return "Everything in the plan was erased or requested; not all of it could be checked."
        }
        if !receipt.retained.isEmpty { return "Everything was erased, except for data that has to be kept for now." }
        return "Everything in the plan was erased."
    }

    /// Whether the last day of what is kept was over before the erasure was.
    static func isOver(_ day: CalendarDay, in receipt: Receipt) -> Bool { day < CalendarDay(receipt.finishedAt) }

    static func outcome(_ outcome: ReceiptStep.Outcome) -> String {
        switch outcome {
        case .erased: "erased"
        case .anonymised: "made anonymous"
        case .retained: "kept for a stated reason"
        case .nothingThere: "no data was there"
        case .acknowledged: "acknowledged by the other system, not checked"
        case .notVerifiable: "done, cannot be checked"
        case .failed: "failed"
        }
    }

    static func readBack(_ readBack: ReceiptVerification.ReadBack) -> String {
        let places = count(readBack.places, "planned place was", "planned places were")
        return "\(places) read back with other queries: "
            + (readBack.rowsLeft == 0 ? "nothing left." : "\(count(readBack.rowsLeft, "row", "rows")) still there.")
    }

    /// The findings of the search in all columns, one sentence each: left, similar, not searched.
    static func deepScan(_ scan: ReceiptVerification.DeepScan) -> [String] {
        guard scan.extent != .none else { return ["Other columns were not searched for the subject's identifiers."] }
        let extent = scan.extent == .complete ? "all of " : "up to a limit, "
        let places = "\(extent)\(count(scan.rows, "row", "rows")) in \(count(scan.columns, "column", "columns"))"
        let left = scan.left == 0 ? "nothing left." : "left in \(count(scan.left, "value", "values"))."
        var sentences = [
            "The subject's identifiers were searched for in other columns (\(places)): \(left)\(list(scan.leftIn))"
        ]
        if scan.similar > 0 {
            let values = count(scan.similar, "value", "values")
            sentences.append("Similar, and perhaps not the subject's: \(values).\(list(scan.similarIn))")
        }
        if !scan.notSearched.isEmpty {
            let places = scan.notSearched.map { "\($0.place) (\($0.reason))" }
            sentences.append("Not searched: \(places.joined(separator: ", ")).")
        }
        return sentences
    }

    private static func list(_ places: [String]) -> String {
        places.isEmpty ? "" : " In: \(places.joined(separator: ", "))."
    }

    static func residue(_ residue: ReceiptVerification.Residue) -> String {
        switch residue.state {
        case .notApplicable: return "The database's own files cannot be read from here and were not searched."
        case .scrubbed: return "Free space in the database's files was overwritten."
        case .scrubbedAndScanned:
            let files = "\(count(residue.bytes, "byte", "bytes")) in \(count(residue.files, "file", "files"))"
            let left =
                residue.occurrences == 0 ? "nothing left." : "left \(count(residue.occurrences, "time", "times"))."
            return "Free space in the database's files was overwritten and every byte searched (\(files)): \(left)"
        }
    }

    static func note(_ note: ReceiptNote) -> String {
        guard let expires = note.expires else { return note.note }
        return "\(sentence(note.note)) Until \(expires)."
    }

    /// A written reason, ended by a full stop unless it has its own ending.
    static func sentence(_ text: String) -> String {
        text.last.map { ".!?".contains($0) } == true ? text : text + "."
    }

    static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(grouped(number)) \(number == 1 ? one : many)"
    }

    /// `1234567` as `1,234,567`.
    static func grouped(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }
}
