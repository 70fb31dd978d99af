// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Rainbow

/// One of the two streams of a command: its width, whether it is a terminal, and whether it has colours.
struct Terminal: Sendable {
    private let handle: FileHandle
    /// Whether it is a terminal, so that lines may be redrawn.
    let isInteractive: Bool
    private let hasColour: Bool
    /// Text that is held back until all of it is delivered; nil if each text is written at once.
    private let held: Guarded<[UInt8]>?

    /// Standard output: the requested output.
    static var output: Terminal { Terminal(FileHandle.standardOutput) }
    /// Standard error: progress, questions and errors.
    static var error: Terminal { Terminal(FileHandle.standardError) }

    private init(_ handle: FileHandle) {
        let environment = ProcessInfo.processInfo.environment
        self.handle = handle
        isInteractive = isatty(handle.fileDescriptor) == 1 && environment["TERM"] != "dumb"
        let isRefused = environment["NO_COLOR"].map { !$0.isEmpty } ?? false || environment["CLICOLOR"] == "0"
        hasColour = isInteractive && !isRefused
        held = nil
    }

    private init(_ terminal: Terminal, holding held: Guarded<[UInt8]>) {
        handle = terminal.handle
        isInteractive = terminal.isInteractive
        hasColour = terminal.hasColour
        self.held = held
    }

    /// Columns; 80 if unknown.
    var width: Int {
        var size = winsize()
        guard isInteractive, ioctl(handle.fileDescriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return 80
        }
        return Int(size.ws_col)
    }

    // MARK: Writing

    func line(_ text: String = "") { text.isEmpty ? write("\n") : write(text + "\n") }

    /// A paragraph behind a mark, at this terminal's width.
    ///
    /// - Parameter paint: Gives a line its colour.
    func paragraph(_ mark: String, _ text: String, _ paint: (String) -> String = { $0 }) {
        Paragraph.marked(mark, Self.printable(text), width: width).forEach { line(paint($0)) }
    }

    /// Text of several lines; ends with exactly one line feed.
    func text(_ text: String) { write(text.hasSuffix("\n") ? text : text + "\n") }

    /// One value on one line: the requested output, for programs.
    ///
    /// - Throws: `command.output-unwritable`, or `file.no-space`, if it does not arrive whole.
    func deliver(json value: some Encodable) throws { try deliver(CanonicalJSON.text(value)) }

    /// One value on one line, for programs that follow what happens: a reader that has gone away stops nothing.
    func json(_ value: some Encodable) {
        guard let text = try? CanonicalJSON.text(value) else { return }
        line(text)
    }

    func write(_ text: String) { write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) {
        if let held { return held.withLock { $0 += bytes } }
        // A reader that has gone away is no reason to fail.
        try? handle.write(contentsOf: bytes)
    }

    /// Writes the requested output in several parts.
    ///
    /// - Parameter body: Writes the parts to the terminal that it receives.
    /// - Throws: As for a text; what `body` throws, and then nothing is written.
    func deliver(_ body: (Terminal) throws -> Void) throws {
        let held = Guarded<[UInt8]>([])
        try body(Terminal(self, holding: held))
        try handle.deliver(held.withLock { $0 })
    }

    /// Writes the requested output, and ends it with a line feed.
    ///
    /// - Throws: `command.output-unwritable`, or `file.no-space`, if it does not arrive whole. A reader that has gone
    ///   away is no reason to fail.
    func deliver(_ text: String) throws {
        try handle.deliver(text.hasSuffix("\n") ? text : text + "\n")
    }

    // MARK: Colour

    func bold(_ text: String) -> String { hasColour ? text.bold : text }
    func dim(_ text: String) -> String { hasColour ? text.dim : text }
    func red(_ text: String) -> String { hasColour ? text.red : text }
    func green(_ text: String) -> String { hasColour ? text.green : text }
    func yellow(_ text: String) -> String { hasColour ? text.yellow : text }
    func blue(_ text: String) -> String { hasColour ? text.blue : text }
    func magenta(_ text: String) -> String { hasColour ? text.magenta : text }

    // MARK: Text from outside

    /// Names of a database and messages of a server, without characters that could move the cursor.
    static func printable(_ text: String) -> String { text.printable }
}
