// SPDX-License-Identifier: Apache-2.0

/// The permitted syntax of a plan file, checked before a YAML parser reads it.
///
/// YAML offers much more than a plan needs, and some of it is dangerous for a parser: anchors that unfold to billions
/// of nodes, tags, endless nesting. One pass over the bytes refuses that with a place, so that the parser reads only
/// keys, lists and short values.
struct PlanText {
    static let greatestDepth = 16

    private enum Inside { case nothing, plain, double, single }

    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    private var lineStart = 0
    private var depth = 0
    private var dashes = 0
    private var inside = Inside.nothing
    private var singleQuoteEnd = -1
    /// The places of byte order marks (U+FEFF) in keys and values.
    private(set) var marks: [YAMLMarks.Place] = []

    /// The first thing that does not belong into a plan file, or `nil`. The bytes are valid UTF-8.
    private(set) var refusal: PlanProblem?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // A mark at the beginning of a file belongs to no key.
        if YAMLMarks.isMark(bytes, at: 0) { (index, lineStart) = (3, 3) }
        refusal = firstProblem()
    }

    private mutating func firstProblem() -> PlanProblem? {
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\n") {
                startLine()
                continue
            }
            if byte == UInt8(ascii: "\t") {
                return problem("This is a tab; indent plan files with spaces (a tab in a text is \"\\t\").")
            }
            if byte < 0x20, byte != UInt8(ascii: "\r") || next != UInt8(ascii: "\n") {
                return problem("This is a control character.")
            }
            if YAMLMarks.isMark(bytes, at: index) { marks.append(.written(index)) }
            if let problem = step(byte) { return problem }
            index += 1
        }
        return nil
    }

    private mutating func startLine() {
        index += 1
        line += 1
        lineStart = index
        dashes = 0
        if inside == .plain { inside = .nothing }
        var indentation = 0
        while index + indentation < bytes.count, bytes[index + indentation] == UInt8(ascii: " ") { indentation += 1 }
        if inside == .nothing { index += min(indentation, 1_000) }
    }

    private mutating func step(_ byte: UInt8) -> PlanProblem? {
        switch inside {
        case .double:
            if byte == UInt8(ascii: "\\"), let next, next >= 0x20 {
                if let place = YAMLMarks.escape(bytes, at: index) { marks.append(place) }
                index += 1
            }
            if byte == UInt8(ascii: "\"") { inside = .plain }
        case .single:
            if byte == UInt8(ascii: "'") {
                inside = .plain
                singleQuoteEnd = index
            }
        case .plain:
            return stepInPlain(byte)
        case .nothing:
            return stepAtStart(byte)
        }
        return nil
    }

    /// Within a plain value, or behind any value: until something ends it.
    private mutating func stepInPlain(_ byte: UInt8) -> PlanProblem? {
        if byte == UInt8(ascii: ":"), isGap(next) || depth > 0 && isFlowSign(next) {
            inside = .nothing
        } else if byte == UInt8(ascii: "#"), index > lineStart, bytes[index - 1] == UInt8(ascii: " ") {
            skipComment()
        } else if byte == UInt8(ascii: "'"), singleQuoteEnd == index - 1 {
            inside = .single  // The second half of a doubled quote.
        } else if depth > 0, isFlowSign(byte) {
            return bracketOrComma(byte)
        }
        return nil
    }

    /// At the beginning of a value, a key or an indicator.
    private mutating func stepAtStart(_ byte: UInt8) -> PlanProblem? {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\r"):
            return nil
        case UInt8(ascii: "#"):
            skipComment()
        case UInt8(ascii: "\""):
            inside = .double
        case UInt8(ascii: "'"):
            inside = .single
        case UInt8(ascii: "&"), UInt8(ascii: "*"), UInt8(ascii: "!"):
            return problem("A plan has no anchors (&), aliases (*) and tags (!); quote the value if it is text.")
        case UInt8(ascii: "|"), UInt8(ascii: ">"):
            return problem("Write a long text in double quotes instead of after | or >.")
        case UInt8(ascii: "%") where index == lineStart:
            return problem("A plan file has no YAML directives.")
        case UInt8(ascii: "-") where isGap(next):
            dashes += 1
            if dashes > Self.greatestDepth { return problem("The plan is nested too deeply.") }
        case UInt8(ascii: "?") where isGap(next), UInt8(ascii: ":") where isGap(next):
            return nil
        case _ where isFlowSign(byte):
            return bracketOrComma(byte)
        default:
            inside = .plain
        }
        return nil
    }

    private mutating func bracketOrComma(_ byte: UInt8) -> PlanProblem? {
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            depth += 1
            inside = .nothing
            return depth > Self.greatestDepth ? problem("The plan is nested too deeply.") : nil
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            depth = max(0, depth - 1)
            inside = .plain
        default:
            inside = .nothing
        }
        return nil
    }

    private mutating func skipComment() {
        while index + 1 < bytes.count, bytes[index + 1] != UInt8(ascii: "\n") { index += 1 }
    }

    private var next: UInt8? { index + 1 < bytes.count ? bytes[index + 1] : nil }

    private func isGap(_ byte: UInt8?) -> Bool {
        byte == nil || byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    private func isFlowSign(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return [UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: ",")]
            .contains(byte)
    }

    private func problem(_ message: String) -> PlanProblem {
        let before = bytes[lineStart..<index].count { $0 & 0xC0 != 0x80 }
        return PlanProblem(line, before + 1, message)
    }
}
