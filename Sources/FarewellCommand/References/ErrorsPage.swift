// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellServer

/// `docs/errors.md`: every code of an error or finding.
enum ErrorsPage {
    static var lines: [String] {
        var lines = introduction + families.lines + ["", exceptions, contract, database]
        for area in ErrorMeaning.areas { lines += ["", "## \(area.title)", ""] + table(area.errors).lines }
        lines += ["", "## Findings", "", findings, ""]
        let rows = FindingMeaning.all.map { [$0.code.asCode, $0.meaning, $0.remedy] }
        return lines + MarkdownTable(["code", "meaning", "remedy"], rows: rows).lines
    }

    /// The codes in answers of the server.
    static var answered: [String] { ServerDescription.errors.map(\.code) }

    private static let introduction = [
        "# Errors", "",
        "Every error has a code, a message and usually a remedy. The command prints them, with `--json` as JSON. The",
        "server sends the code as `error_code` or `code`, and in the header `X-Sb-Error-Code`. The column *solved",
        "by* shows the family:", "",
    ]

    private static let contract =
        "Answers contain the codes of the session authority without `auth.`, as in the Supabase Auth contract."
    private static let database =
        "`sql.` followed by an SQLSTATE is a refusal by the database; a table lists those that Farewell explains."
    private static let findings =
        "`farewell check` and `farewell rehearse` report findings. An error stops erasures; a warning does not."

    /// The codes with which the command exits otherwise than by their family.
    private static var exceptions: String {
        let all = ErrorMeaning.areas.flatMap(\.errors).map { error in
            let thrown = FarewellError(.init(rawValue: error.code), error.family, error.meaning)
            let usual = FarewellError("unexpected", error.family, error.meaning)
            return (
                code: error.code.asCode, status: ExitStatus(thrown), isUsual: ExitStatus(thrown) == ExitStatus(usual)
            )
        }
        let others = Dictionary(grouping: all.filter { !$0.isUsual }, by: \.status.rawValue).sorted { $0.key < $1.key }
        let words = others.map { "\($0.value.map(\.code).joined(separator: ", ")) exit \($0.key)" }
        return "Some codes have another exit status: " + words.joined(separator: "; ") + "."
    }

    private static var families: MarkdownTable {
        let meanings: [(FarewellError.Family, ExitStatus, String, String)] = [
            (.yoursToFix, .unusable, "4xx", "The request, plan or set-up is wrong. The same call fails again."),
            (.tryAgain, .tryAgain, "429 or 503", "A temporary condition. The same call may succeed later."),
            (.ours, .ours, "500", "A defect, or a state of the server that its operators must correct."),
        ]
        let rows = meanings.map { [name($0.0), "\($0.1.rawValue)", $0.2, $0.3] }
        return MarkdownTable(["solved by", "exit status", "HTTP status", "meaning"], rows: rows)
    }

    private static func name(_ family: FarewellError.Family) -> String {
        switch family {
        case .yoursToFix: "you"
        case .tryAgain: "a retry"
        case .ours: "operators"
        }
    }

    private static func table(_ errors: [ErrorMeaning]) -> MarkdownTable {
        let statuses = Dictionary(grouping: ServerDescription.errors, by: \.code)
        let hasStatus = errors.contains { statuses[$0.code] != nil }
        let rows = errors.map { error -> [String] in
            let status = (statuses[error.code] ?? []).map { String($0.status) }.joined(separator: ", ")
            let known = [error.code.asCode, name(error.family)]
            return (hasStatus ? known + [status] : known) + [error.meaning, error.remedy]
        }
        let headings = hasStatus ? ["code", "solved by", "HTTP"] : ["code", "solved by"]
        return MarkdownTable(headings + ["meaning", "remedy"], rows: rows)
    }
}
