// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan

/// Whether a value holds a name of the subject, and whether it can mean another person.
///
/// A name counts as a whole value or as whole words. Numbers need more: in a text, one counts if it has at least
/// ``SearchedName/shortest`` digits or follows a name of the subject (`user_id=42`); one that is alone in a column, as
/// a member or as an element counts always. It is *left* if the name beside it refers to the subject, or if it has at
/// least ``SearchedName/unmistakable`` digits in a text; otherwise it is *similar*.
struct NameMatch {
    /// How a value relates to a name.
    enum Verdict: Int, Comparable, Sendable {
        case similar
        case left

        static func < (one: Verdict, other: Verdict) -> Bool { one.rawValue < other.rawValue }
    }

    let names: SubjectNames

    /// The most serious verdict over all places of a name in a text; `nil` if there are none.
    func verdict(on name: SearchedName, in text: SearchedText, of column: SearchedColumn) -> Verdict? {
        if name.form == .number {
            return text.readings.map { number(name.spellings[0], in: $0, of: column) }.reduce(nil, Self.graver)
        }
        var best: Verdict?
        let dialled = name.dialled
        for reading in text.folded {
            for spelling in name.spellings {
                let places =
                    spelling == dialled
                    ? SearchedText.places(ofDialled: spelling, in: reading)
                    : SearchedText.places(of: spelling, in: reading).map { $0..<($0 + spelling.count) }
                for place in places {
                    let fit = Self.fit(of: name.form, at: place, in: reading)
                    let verdict = name.verdict(in: column)
                    best = Self.graver(best, fit == .part ? nil : fit == .joined ? .similar : verdict)
                    if best == .left { return best }
                }
            }
        }
        return best
    }

    static func graver(_ one: Verdict?, _ other: Verdict?) -> Verdict? {
        guard let one, let other else { return one ?? other }
        return max(one, other)
    }

    static func fit(of form: SearchedName.Form, at range: Range<Int>, in text: [UInt8]) -> TextEdge.Fit {
        let before = TextEdge(before: range.lowerBound, in: text)
        let behind = TextEdge(behind: range.upperBound, in: text)
        switch form {
        case .uuid: return min(before.ofUUID, behind.ofUUID)
        case .address: return min(before.beforeAddress, behind.behindAddress)
        case .number: return min(before.ofNumber, behind.ofNumber)
        case .phone: return min(isAbroad(range.lowerBound, text) ? .whole : before.ofNumber, behind.ofNumber)
        case .token:
            return min(before.ofToken(first(range, text)), behind.ofToken(last(range, text)))
        case .words, .commonWord:
            let hasDigit = text[range].contains { $0.isASCIIDigit }
            return min(
                before.ofWord(first(range, text), isStart: true, hasDigit: hasDigit),
                behind.ofWord(last(range, text), isStart: false, hasDigit: hasDigit))
        }
    }

    private static func first(_ range: Range<Int>, _ text: [UInt8]) -> Unicode.Scalar? {
        TextEdge.scalar(startingAt: range.lowerBound, in: text)?.scalar
    }

    private static func last(_ range: Range<Int>, _ text: [UInt8]) -> Unicode.Scalar? {
        TextEdge.scalar(endingAt: range.upperBound, in: text)?.scalar
    }

    /// Whether the two zeros before a telephone number stand for its `+`.
    private static func isAbroad(_ place: Int, _ text: [UInt8]) -> Bool {
        guard text[..<place].suffix(2).elementsEqual("00".utf8) else { return false }
        return place == 2 || !text[place - 3].isASCIILetterOrDigit
    }

    // MARK: Numbers

    private func number(_ digits: [UInt8], in text: [UInt8], of column: SearchedColumn) -> Verdict? {
        var best: Verdict?
        for place in SearchedText.places(of: digits, in: text) {
            let range = place..<(place + digits.count)
            guard Self.fit(of: .number, at: range, in: text) != .part, !Self.isNegative(digits, place, text) else {
                continue
            }
            best = Self.graver(best, verdict(onNumber: range, in: text, of: column))
            if best == .left { return best }
        }
        return best
    }

    /// Whether a minus sign before digits without one makes them another number; a hyphen behind a word does not.
    private static func isNegative(_ digits: [UInt8], _ place: Int, _ text: [UInt8]) -> Bool {
        guard digits.first != UInt8(ascii: "-"), place > 0, text[place - 1] == UInt8(ascii: "-") else { return false }
        return place < 2 || !text[place - 2].isASCIILetterOrDigit && text[place - 2] != UInt8(ascii: "_")
    }

    private func verdict(onNumber range: Range<Int>, in text: [UInt8], of column: SearchedColumn) -> Verdict? {
        if column.listsSubject { return .left }
        let length = range.count
        let context = NumberContext(of: range, in: text, isStructured: column.isStructured || Self.isDocument(text))
        switch context.name.flatMap(names.kind) {
        case .key: return .left
        case .role: return length >= SearchedName.shortest ? .left : .similar
        case nil: break
        }
        // A member's own name counts, whatever the column is called.
        if context.isAlone, context.name == nil { return column.namesSubject ? .left : longNumber(length) ?? .similar }
        return longNumber(length) ?? (context.isAlone || length >= SearchedName.shortest ? .similar : nil)
    }

    /// Whether a text begins as a JSON document does.
    private static func isDocument(_ text: [UInt8]) -> Bool {
        let first = text.first { $0 > 32 }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    private func longNumber(_ length: Int) -> Verdict? { length >= SearchedName.unmistakable ? .left : nil }
}
