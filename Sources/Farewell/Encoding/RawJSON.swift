// SPDX-License-Identifier: Apache-2.0

/// A value of JSON (RFC 8259) as it is written, for answers of other systems and data that is passed on: no number is
/// rounded, no text is changed, and members whose names Unicode treats as equal stay two.
///
/// The whole text is checked when it is read. Each look at its parts takes time linear in its length, and no memory
/// except for what is returned.
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

    private init(_ bytes: ArraySlice<UInt8>, _ depth: Int) {
        self.bytes = bytes
        self.depth = depth
    }

    /// The elements of an array; `nil` for any other value.
    package var elements: [RawJSON]? {
        var scanner = RawJSONScanner(bytes, depth: depth)
        guard (try? scanner.open(at: 1)) == RawJSONScanner.endOfArray else { return nil }
        var elements: [RawJSON] = []
        do {
            while try scanner.isNext(before: RawJSONScanner.endOfArray, isFirst: elements.isEmpty) {
                elements.append(RawJSON(bytes[try scanner.skip(at: 1)], depth))
            }
        } catch {
            return nil
        }
        return elements
    }

    /// The names of an object's members with their values, in their order; `nil` for any other value.
    ///
    /// A name that is no text, because it holds half of a surrogate pair, is as it is written, with its escapes.
    package var members: [(name: String, value: RawJSON)]? {
        var scanner = RawJSONScanner(bytes, depth: depth)
        guard (try? scanner.open(at: 1)) == RawJSONScanner.endOfObject else { return nil }
        var members: [(String, RawJSON)] = []
        do {
            while try scanner.isNext(before: RawJSONScanner.endOfObject, isFirst: members.isEmpty) {
                let name = Self.label(bytes[try scanner.name()])
                members.append((name, RawJSON(bytes[try scanner.skip(at: 1)], depth)))
            }
        } catch {
            return nil
        }
        return members
    }

    /// The value of the only member of that name, by its bytes; `nil` if there is none or several, and for anything
    /// but an object.
    package subscript(name: String) -> RawJSON? {
        let found = (members ?? []).filter { $0.name.utf8.elementsEqual(name.utf8) }
        return found.count == 1 ? found[0].value : nil
    }

    /// The same as a value; `nil` if it cannot be one, such as an object whose members have names that Unicode takes
    /// for one.
    package var value: JSONValue? {
        try? StrictJSON.value(Array(bytes), depth: min(depth, Self.deepestValue), marks: .separated)
    }

    /// Reading a value takes some of the stack for each level.
    private static let deepestValue = 128

    package var string: String? {
        bytes.first == UInt8(ascii: "\"") ? try? RawJSONScanner.text(bytes) : nil
    }

    /// A number written without fraction and exponent that fits 64 bits.
    package var integer: Int64? {
        bytes.count <= 20 ? Int64(String(decoding: bytes, as: UTF8.self)) : nil
    }

    package var boolean: Bool? {
        if bytes.elementsEqual("true".utf8) { return true }
        return bytes.elementsEqual("false".utf8) ? false : nil
    }

    package var isNull: Bool { bytes.elementsEqual("null".utf8) }
    package var isObject: Bool { bytes.first == UInt8(ascii: "{") }

    // MARK: A copy

    /// An object or array that is being copied.
    private struct Open {
        let end: UInt8
        /// The name of the member whose value it is, or is in.
        let name: String?
        var isFirst = true
        var isEmpty = true
    }

    /// The same without some members, at any depth, and without space between its parts.
    ///
    /// - Parameter isOut: Decides by a member's name and the beginning of its value, and by the name of the member
    ///   whose object it is in.
    package func leavingOut(
        _ isOut: (_ name: String, _ value: Beginning, _ parent: String?) -> Bool
    ) throws(StrictJSON.Fault) -> [UInt8] {
        var scanner = RawJSONScanner(bytes, depth: depth)
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count)
        var around: [Open] = []
        var name: String?
        while true {
            if let end = try scanner.open(at: around.count + 1) {
                copy.append(UInt8(ascii: end == RawJSONScanner.endOfObject ? "{" : "["))
                around.append(Open(end: end, name: name))
            } else {
                copy += bytes[try scanner.skip(at: around.count)]
            }
            // On to the next value that stays.
            while let place = around.indices.last {
                let (end, parent) = (around[place].end, around[place].name)
                guard try scanner.isNext(before: end, isFirst: around[place].isFirst) else {
                    copy.append(end)
                    around.removeLast()
                    continue
                }
                around[place].isFirst = false
                var key: Range<Int>?
                name = parent
                if end == RawJSONScanner.endOfObject {
                    let written = try scanner.name()
                    key = written
                    name = Self.label(bytes[written])
                    if isOut(name ?? "", Beginning(bytes[scanner.position...]), parent) {
                        _ = try scanner.skip(at: around.count)
                        continue
                    }
                }
                if !around[place].isEmpty { copy.append(UInt8(ascii: ",")) }
                around[place].isEmpty = false
                if let key {
                    copy += bytes[key]
                    copy.append(UInt8(ascii: ":"))
                }
                break
            }
            if around.isEmpty { return copy }
        }
    }

    /// The beginning of a value, which tells its type.
    package struct Beginning: Sendable {
        private let bytes: ArraySlice<UInt8>

        /// - Parameter bytes: The value, with anything behind it.
        package init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

        package var first: UInt8? { bytes.first }
        package var isEmptyText: Bool { bytes.starts(with: "\"\"".utf8) }

        /// The name of an object's first member; `nil` for any other value, and for an empty object.
        package var firstName: String? {
            var scanner = RawJSONScanner(bytes, depth: 1)
            guard let end = try? scanner.open(at: 1), end == RawJSONScanner.endOfObject,
                (try? scanner.isNext(before: end, isFirst: true)) == true, let name = try? scanner.name()
            else { return nil }
            return RawJSON.label(bytes[name])
        }
    }

    package var beginning: Beginning { Beginning(bytes) }

    fileprivate static func label(_ quoted: ArraySlice<UInt8>) -> String {
        (try? RawJSONScanner.text(quoted)) ?? String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
    }
}
