// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The values of a system's documents that are left out of an export: those whose names say that they are secrets, and
/// those that the plan names (`export: {omit: […], keep: […]}`).
///
/// Documents have no schema in which a plan could name each secret, and a value that was handed out cannot be called
/// back. The manifest names all that were left out.
struct WithheldValues: Sendable {
    /// How a system writes its documents.
    enum Form: Sendable {
        /// A member's name is the value's name.
        case plain
        /// Names are in `fields`, and values are written with their types: `{"stringValue": "…"}`.
        case firestore
        /// Names are at the top and in `M`, and values are written with their types: `{"S": "…"}`.
        case dynamoDB
    }

    private let form: Form
    private let omit: Set<ExactText>
    private let keep: Set<ExactText>

    /// - Parameters:
    ///   - omit: Further names, which are secrets of this kind of system.
    ///   - keep: Further names, which say where the subject is.
    init(_ rule: SystemExportRule, _ form: Form = .plain, omit: [String] = [], keep: [String] = []) {
        self.form = form
        self.omit = Set((rule.omit + omit).map(ExactText.init))
        self.keep = Set((rule.keep + keep).map(ExactText.init))
    }

    /// - Parameter parent: The name of the member whose object it is in.
    func isOut(_ name: String, _ value: RawJSON.Beginning, in parent: String?) -> Bool {
        switch form {
        case .plain: break
        case .firestore: guard parent == "fields" else { return false }
        case .dynamoDB: guard parent == nil || parent == "M" else { return false }
        }
        if omit.contains(ExactText(name)) { return true }
        guard SecretName.isOne(name) || SecretName.isNumber(name), !keep.contains(ExactText(name)) else { return false }
        switch kind(of: value) {
        case .fact: return false
        case .number: return SecretName.isNumber(name)
        case .other: return SecretName.isOne(name)
        }
    }

    private enum Kind { case fact, number, other }

    private static let facts: Set<String> = ["booleanValue", "nullValue", "timestampValue", "BOOL", "NULL"]
    private static let numbers: Set<String> = ["integerValue", "doubleValue", "N"]

    private func kind(of value: RawJSON.Beginning) -> Kind {
        switch value.first {
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): return .fact
        case UInt8(ascii: "\""): return value.isEmptyText ? .fact : .other
        case UInt8(ascii: "["): return .other
        case UInt8(ascii: "{"):
            guard form != .plain, let type = value.firstName else { return .other }
            return Self.facts.contains(type) ? .fact : Self.numbers.contains(type) ? .number : .other
        default: return .number
        }
    }
}
