// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The members of a body that is a JSON object. `null` is absent; another type than expected is a refusal.
struct JSONMembers: Sendable {
    private let values: [String: JSONValue]

    /// - Parameter goesOn: Asked now and then while the bytes are read.
    /// - Throws: `auth.bad_json` unless the bytes are one JSON object, in which no member occurs twice, nested no
    ///   deeper than `depth`; `StrictJSON.Fault.stopped`.
    init(_ bytes: [UInt8], depth: Int, goesOn: @escaping () -> Bool = { true }) throws {
        let value: JSONValue
        do {
            value = try StrictJSON.value(bytes, depth: depth, goesOn: goesOn)
        } catch {
            if error == .stopped { throw error }
            throw Self.refusal(Self.words(error, depth))
        }
        guard case .object(let values) = value else { throw Self.refusal("it is not an object") }
        guard !value.holdsNUL else { throw Self.refusal("it contains the unstorable character U+0000") }
        self.values = values
    }

    /// The members of a call without a body.
    static let none = JSONMembers()

    private init() { values = [:] }

    func text(_ name: String) throws -> String? {
        switch values[name] {
        case nil, .null: return nil
        case .string(let text): return text
        default: throw Self.refusal("\(name) is not a text")
        }
    }

    func flag(_ name: String) throws -> Bool? {
        switch values[name] {
        case nil, .null: return nil
        case .boolean(let flag): return flag
        default: throw Self.refusal("\(name) is neither true nor false")
        }
    }

    func object(_ name: String) throws -> [String: JSONValue]? {
        switch values[name] {
        case nil, .null: return nil
        case .object(let members): return members
        default: throw Self.refusal("\(name) is not an object")
        }
    }

    private static func words(_ fault: StrictJSON.Fault, _ depth: Int) -> String {
        switch fault {
        case .syntax: "it is malformed"
        case .text: "it contains text that is not UTF-8, or half of a surrogate pair"
        case .control: "a text contains a control character that is not escaped"
        case .number: "it contains a number that is too large"
        case .duplicateMember: "a member occurs twice"
        case .alikeMembers: "the names of two members differ only in how their characters are composed"
        case .depth: "it nests deeper than \(depth) levels"
        case .name: "the name of a member is longer than \(StrictJSON.longestName) bytes"
        case .marks: "a text contains \(StreamSafeText.excess)"
        case .stopped: "reading it was stopped"
        }
    }

    /// Names the place, never the value.
    private static func refusal(_ reason: String) -> FarewellError {
        FarewellError("auth.bad_json", .yoursToFix, "Could not parse request body as JSON: \(reason)")
    }
}
