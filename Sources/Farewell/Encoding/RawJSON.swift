// SPDX-License-Identifier: Apache-2.0

/// A value of JSON (RFC 8259) as it is written, for data that is passed on: no number is rounded, no text is changed,
/// and members whose names Unicode takes for one stay two.
///
/// The whole text is checked when it is read. Each look at its parts takes time linear in its length, and no memory
/// but for what is returned.
package struct RawJSON: Sendable {
    /// The value's own bytes, without the space around it.
    package let bytes: ArraySlice<UInt8>
    private let depth: Int

    /// - Parameter depth: The deepest permitted nesting of objects and arrays.
    package init(_ bytes: [UInt8], depth: Int = 64) throws(StrictJSON.Fault) {
        // Decoding repairs invalid UTF-8; a repaired text differs from the original.
        guard String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes) else { throw .text }
        var scanner = RawJSONScanner(bytes[...], depth: depth)
        let range = try scanner.whole()
        self.init(bytes[range], depth)
    }

    fileprivate init(_ bytes: ArraySlice<UInt8>, _ depth: Int) {
        self.bytes = bytes
        self.depth = depth
    }

    /// The elements of an array; `nil` for any other value.
    package var elements: [RawJSON]? {
        guard bytes.first == UInt8(ascii: "[") else { return nil }
        var elements: [RawJSON] = []
        var scanner = RawJSONScanner(bytes, depth: depth)
        let isRead: Void? = try? scanner.array(at: 1) { (element) throws(StrictJSON.Fault) in
            elements.append(RawJSON(bytes[try element.skip(at: 1)], depth))
        }
        return isRead.map { elements }
    }

    /// The names of an object's members with their values, in their order; `nil` for any other value.
    package var members: [(name: String, value: RawJSON)]? {
        guard bytes.first == UInt8(ascii: "{") else { return nil }
        var members: [(String, RawJSON)] = []
        var scanner = RawJSONScanner(bytes, depth: depth)
        let isRead: Void? = try? scanner.object(at: 1) { (name, member) throws(StrictJSON.Fault) in
            members.append((try RawJSONScanner.text(bytes[name]), RawJSON(bytes[try member.skip(at: 1)], depth)))
        }
        return isRead.map { members }
    }

    /// The value of the only member of that name, by its bytes; `nil` if there is none or several, and for anything
    /// but an object.
    package subscript(name: String) -> RawJSON? {
        let found = (members ?? []).filter { $0.name.utf8.elementsEqual(name.utf8) }
        return found.count == 1 ? found[0].value : nil
    }

    /// The same as a value; `nil` if it cannot be one, such as an object whose members have names that Unicode takes
    /// for one.
    package var value: JSONValue? { try? StrictJSON.value(Array(bytes), depth: depth, marks: .separated) }

    package var string: String? {
        bytes.first == UInt8(ascii: "\"") ? try? RawJSONScanner.text(bytes) : nil
    }

    /// The same without some members, at any depth, and without space between its parts.
    ///
    /// - Parameter isOut: Decides by a member's name and value, and by the name of the member whose object it is in.
    package func leavingOut(
        _ isOut: (_ name: String, _ value: RawJSON, _ parent: String?) -> Bool
    ) throws(StrictJSON.Fault) -> [UInt8] {
        var scanner = RawJSONScanner(bytes, depth: depth)
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count)
        try Self.copy(&scanner, bytes, at: 0, nil, into: &copy, depth, isOut)
        return copy
    }

    private static func copy(
        _ scanner: inout RawJSONScanner, _ bytes: ArraySlice<UInt8>, at level: Int, _ parent: String?,
        into copy: inout [UInt8], _ depth: Int, _ isOut: (String, RawJSON, String?) -> Bool
    ) throws(StrictJSON.Fault) {
        let comma = UInt8(ascii: ",")
        var isFirst = true
        switch scanner.peek {
        case UInt8(ascii: "{"):
            copy.append(UInt8(ascii: "{"))
            try scanner.object(at: level + 1) { (key, member) throws(StrictJSON.Fault) in
                let name = try RawJSONScanner.text(bytes[key])
                var ahead = member
                let value = RawJSON(bytes[try ahead.skip(at: level + 1)], depth)
                guard !isOut(name, value, parent) else { return member = ahead }
                if !isFirst { copy.append(comma) }
                isFirst = false
                copy += bytes[key]
                copy.append(UInt8(ascii: ":"))
                try Self.copy(&member, bytes, at: level + 1, name, into: &copy, depth, isOut)
            }
            copy.append(UInt8(ascii: "}"))
        case UInt8(ascii: "["):
            copy.append(UInt8(ascii: "["))
            try scanner.array(at: level + 1) { (element) throws(StrictJSON.Fault) in
                if !isFirst { copy.append(comma) }
                isFirst = false
                try Self.copy(&element, bytes, at: level + 1, parent, into: &copy, depth, isOut)
            }
            copy.append(UInt8(ascii: "]"))
        default: copy += bytes[try scanner.skip(at: level)]
        }
    }
}
