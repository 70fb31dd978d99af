// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import Foundation

/// Shows the progress of erasures: a line redrawn on a terminal, plain lines elsewhere, JSON lines for programs.
actor ErasureReport {
    enum Form: Sendable { case lines, json }

    private let form: Form
    private let total: Int
    private let terminal: Terminal
    /// Whether an interruption was requested.
    private(set) var isInterrupted = false
    private var ended = 0
    private var isLineOpen = false
    private var tenth = 0

    /// `total`: the number of subjects to erase.
    init(_ form: Form, total: Int) {
        self.form = form
        self.total = total
        terminal = Terminal.error
    }

    func observe(_ progress: ErasureProgress) {
        switch form {
        case .json: Terminal.output.json(ProgressRecord(progress))
        case .lines where total == 1: one(progress.event)
        case .lines: many(progress.event)
        }
    }

    /// Leaves the line that is being redrawn, so that others may write.
    func close() {
        guard isLineOpen else { return }
        terminal.write("\r\u{1B}[K")
        isLineOpen = false
    }

    /// Says that the work is being stopped.
    func interrupt(_ text: String) {
        isInterrupted = true
        say(text)
    }

    func say(_ text: String) {
        close()
        terminal.line(text)
    }

    // MARK: One subject

    private func one(_ event: ErasureProgress.Event) {
        switch event {
        case .accepted: done("accepted: it will be finished even if this process dies")
        case .began(let step): redraw("\(step) …")
        case .advanced(let step, let done, let of): redraw(bar(step, done, of))
        case .finished(let step): done(step)
        case .verified: done("read back: nothing that the plan erases is left")
        case .entered: break
        case .done: done("receipt signed")
        case .parked: close()
        }
    }

    private func done(_ text: String) { say("  \(terminal.green("✓")) \(Terminal.printable(text))") }

    // MARK: Many subjects

    private func many(_ event: ErasureProgress.Event) {
        switch event {
        case .accepted: break
        case .done, .parked: ended += 1
        default: return
        }
        // There may be more meanwhile than at the beginning.
        let all = max(total, ended)
        redraw(bar("erased", ended, all))
        guard !terminal.isInteractive, ended * 10 / all > tenth else { return }
        tenth = ended * 10 / all
        terminal.line("  \(Words.grouped(ended)) of \(Words.grouped(all))")
    }

    // MARK: Drawing

    private func redraw(_ text: String) {
        guard terminal.isInteractive else { return }
        terminal.write("\r\u{1B}[K  " + String(text.prefix(max(terminal.width - 3, 10))))
        isLineOpen = true
    }

    private func bar(_ name: String, _ done: Int, _ of: Int) -> String {
        let share = of > 0 ? min(Double(done) / Double(of), 1) : 0
        let cells = 24
        let full = Int(share * Double(cells))
        let drawn = String(repeating: "█", count: full) + String(repeating: "░", count: cells - full)
        return
            "\(Terminal.printable(name)) \(drawn) \(Int(share * 100)) %  \(Words.grouped(done)) of \(Words.grouped(of))"
    }
}

/// One event of a run for programs.
private struct ProgressRecord: Encodable {
    let event: String
    let erasure: String
    var step: String?
    var done: Int?
    var of: Int?
    var cause: String?

    init(_ progress: ErasureProgress) {
        erasure = progress.erasure.text
        switch progress.event {
        case .accepted: event = "accepted"
        case .began(let step): (event, self.step) = ("began", step)
        case .advanced(let step, let done, let of):
            (event, self.step, self.done, self.of) = ("advanced", step, done, of)
        case .finished(let step): (event, self.step) = ("finished", step)
        case .verified: event = "verified"
        case .entered: event = "entered"
        case .done: event = "done"
        case .parked(let cause): (event, self.cause) = ("parked", cause)
        }
    }
}
