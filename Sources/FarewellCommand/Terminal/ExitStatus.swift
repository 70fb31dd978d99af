// SPDX-License-Identifier: Apache-2.0

import Farewell

/// How the command ends, for scripts. Thrown to end with a status after everything was said.
enum ExitStatus: Int32, Error, CaseIterable {
    case done = 0
    case findings = 1
    case unusable = 2
    case unknownSubject = 3
    case runningElsewhere = 4
    case ours = 70
    case tryAgain = 75
    case interrupted = 130

    init(_ error: FarewellError) {
        switch error.code {
        case "subject.unknown": self = .unknownSubject
        case "verify.leftovers", "audit.broken", "signature.wrong", "signature.malformed", "signature.unknown-key",
            "receipt.malformed", "receipt.other", "erasure.parked":
            self = .findings
        default:
            switch error.family {
            case .yoursToFix: self = .unusable
            case .tryAgain: self = .tryAgain
            case .ours: self = .ours
            }
        }
    }

    var meaning: String {
        switch self {
        case .done: "done, or no findings"
        case .findings: "findings, data that is left, or an erasure that needs an operator"
        case .unusable: "unusable plan, database, right or argument: fix it; nothing was started"
        case .unknownSubject: "no data of this subject was found"
        case .runningElsewhere: "another process is erasing this subject"
        case .ours: "a defect of Farewell"
        case .tryAgain: "temporary: database unreachable, lock held, disk full; try again"
        case .interrupted: "interrupted; `farewell erase --resume` continues accepted erasures"
        }
    }

    /// Where the help of a sub-command leads for all statuses: only the help of the command itself has the table.
    static let pointer = "farewell --help lists every exit status."

    /// The table of statuses in the help of the command itself.
    static var explanation: String {
        let lines = allCases.map { status in
            let number = String(status.rawValue)
            return "  " + String(repeating: " ", count: 3 - number.count) + number + "  " + status.meaning
        }
        return "Exit status:\n\n" + lines.joined(separator: "\n")
    }

    /// The gravest of several.
    static func gravest(_ statuses: [ExitStatus]) -> ExitStatus {
        let order: [ExitStatus] = [
            .done, .unknownSubject, .runningElsewhere, .findings, .tryAgain, .unusable, .ours, .interrupted,
        ]
        return order.last(where: statuses.contains) ?? .done
    }
}
