// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One value of the tree.
final class CanonicalNode {
    private enum Content {
        case nothing
        case leaf(Leaf)
        case array([CanonicalNode])
        case object([Member])
    }

    private struct Member {
        let name: String
        let value: Value
    }

    private enum Value {
        case leaf(Leaf)
        case node(CanonicalNode)
    }

    enum Leaf {
        case null
        case boolean(Bool)
        case integer(Int64)
        /// A number as it is written.
        case number(String)
        case string(String)
    }

    private var content = Content.nothing

    var count: Int { if case .array(let elements) = content { elements.count } else { 0 } }

    func set(_ leaf: Leaf) { content = .leaf(leaf) }

    func becomeObject() {
        if case .object = content { return }
        var members: [Member] = []
        members.reserveCapacity(16)
        content = .object(members)
    }

    func becomeArray() { if case .array = content { return } else { content = .array([]) } }

    /// A new member whose value follows. Of two members with one name, the later is written.
    func member(_ name: String) -> CanonicalNode {
        let node = CanonicalNode()
        add(Member(name: name, value: .node(node)))
        return node
    }

    /// A new member that is a leaf.
    func add(_ name: String, _ leaf: Leaf) { add(Member(name: name, value: .leaf(leaf))) }

    private func add(_ member: Member) {
        guard case .object(var members) = content else { return }
        content = .nothing
        members.append(member)
        content = .object(members)
    }

    /// A new element at the end.
    func element() -> CanonicalNode {
        guard case .array(var elements) = content else { return CanonicalNode() }
        content = .nothing
        let node = CanonicalNode()
        elements.append(node)
        content = .array(elements)
        return node
    }

    /// A value of any type. Some encode less than Foundation writes: they are written as Foundation does.
    func take<Value: Encodable>(_ value: Value) throws {
        // Comparing the types first: a cast that fails costs as much as a whole small value.
        if Value.self == String.self, let text = value as? String {
            set(.string(text))
        } else if Value.self == Data.self, let data = value as? Data {
            set(.string(data.base64EncodedString()))
        } else if Value.self == URL.self, let address = value as? URL {
            set(.string(address.absoluteString))
        } else if Value.self == Decimal.self, let decimal = value as? Decimal {
            set(.number("\(decimal)"))
        } else if Value.self == JSONValue.self, let document = value as? JSONValue {
            try take(document)
        } else if Value.self == [String: JSONValue].self, let members = value as? [String: JSONValue] {
            try take(.object(members))
        } else {
            try value.encode(to: CanonicalEncoder(node: self))
        }
    }

    /// The same as a document's own encoding, without calling it.
    private func take(_ document: JSONValue) throws {
        switch document {
        case .null: set(.null)
        case .boolean(let value): set(.boolean(value))
        case .integer(let value): set(.integer(value))
        case .number(let value): try take(fraction: value, "\(value)", value)
        case .string(let text): set(.string(text))
        case .array(let elements):
            becomeArray()
            for value in elements { try element().take(value) }
        case .object(let members):
            becomeObject()
            for (name, value) in members.sorted(by: { $0.key < $1.key }) { try member(name).take(value) }
        }
    }

    func take(fraction: Double, _ text: String, _ value: some Encodable) throws {
        guard fraction.isFinite else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: [], debugDescription: "JSON has no infinite or undefined numbers."))
        }
        set(.number(text.hasSuffix(".0") ? String(text.dropLast(2)) : text))
    }
}

extension CanonicalNode {
    /// Appends the canonical form: members in order of their names' bytes, no white space.
    func write(to bytes: inout [UInt8]) {
        switch content {
        case .nothing: bytes += "{}".utf8
        case .leaf(let leaf): Self.write(leaf, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (place, element) in elements.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members): Self.write(members, to: &bytes)
        }
    }

    private static func write(_ members: [Member], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        for (place, member) in inOrder(members).enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONString.write(member.name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            switch member.value {
            case .leaf(let leaf): write(leaf, to: &bytes)
            case .node(let node): node.write(to: &bytes)
            }
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Each name once, with its last member. Names that arrive in order need no sorting.
    private static func inOrder(_ members: [Member]) -> [Member] {
        let isInOrder = members.indices.dropFirst().allSatisfy { byteOrder(members[$0 - 1].name, members[$0].name) < 0 }
        if isInOrder { return members }
        let order = members.indices.sorted { left, right in
            let order = byteOrder(members[left].name, members[right].name)
            return order < 0 || (order == 0 && left < right)
        }
        return order.enumerated().compactMap { position, place in
            let isSaidAgain =
                position + 1 < order.count && byteOrder(members[order[position + 1]].name, members[place].name) == 0
            return isSaidAgain ? nil : members[place]
        }
    }

    /// Less than zero if the first name's bytes come first, zero if they are the same.
    private static func byteOrder(_ first: String, _ second: String) -> Int {
        var (first, second) = (first, second)
        return first.withUTF8 { first in
            second.withUTF8 { second in
                let common = min(first.count, second.count)
                guard common > 0, let one = first.baseAddress, let other = second.baseAddress else {
                    return first.count - second.count
                }
                let order = memcmp(one, other, common)
                return order == 0 ? first.count - second.count : Int(order)
            }
        }
    }

    private static func write(_ leaf: Leaf, to bytes: inout [UInt8]) {
        switch leaf {
        case .null: bytes += "null".utf8
        case .boolean(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes += value.description.utf8
        case .number(let text): bytes += text.utf8
        case .string(let text): JSONString.write(text, to: &bytes)
        }
    }
}
