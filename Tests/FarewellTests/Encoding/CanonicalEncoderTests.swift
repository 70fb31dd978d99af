// SPDX-License-Identifier: Apache-2.0
@testable import Farewell
import Foundation
import LinearGrowth
import Testing

/// Foundation's encoder is the oracle: the canonical form is what it writes with sorted keys and plain slashes.
@Suite("The canonical form of JSON")
struct CanonicalEncoderTests {
    private func expected(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test("a receipt is written as Foundation writes it, byte for byte")
    func receipt() throws {
        let receipt = try Receipt.example()
        #expect(try CanonicalJSON.text(receipt) == expected(receipt))
    }

    @Test("every character, in values and in names, is written as Foundation writes it")
    func characters() throws {
        let scalars = (0..<0x3100).compactMap(Unicode.Scalar.init) + ["\u{1F600}", "\u{FFFD}", "\u{10FFFF}"]
        for scalar in scalars {
            let text = "a\(Character(scalar))/b"
            #expect(try CanonicalJSON.text([text]) == expected([text]), "U+\(String(scalar.value, radix: 16))")
            #expect(try CanonicalJSON.text([text: 1]) == expected([text: 1]))
        }
    }

    @Test("numbers are written as Foundation writes them; a value that is not a number is refused")
    func numbers() throws {
        let fractions: [Double] = [
            0, -0.0, 1, -1.5, 0.1, 1e15, 1e16, 1e20, 1e21, 1e-5, .leastNonzeroMagnitude, .pi, 1.7976931348623157e308,
        ]
        for number in fractions { #expect(try CanonicalJSON.text([number]) == expected([number]), "\(number)") }
        for number in fractions.map(Float.init).filter(\.isFinite) {
            #expect(try CanonicalJSON.text([number]) == expected([number]), "\(number)")
        }
        #expect(try CanonicalJSON.text([Int64.min, .max]) == expected([Int64.min, .max]))
        #expect(try CanonicalJSON.text([UInt64.max]) == expected([UInt64.max]))
        #expect(try CanonicalJSON.text([Int8.min]) == expected([Int8.min]))
        #expect(try CanonicalJSON.text([Decimal(string: "12.340")]) == expected([Decimal(string: "12.340")]))
        for number in [Double.nan, .infinity, -.infinity] {
            #expect(throws: EncodingError.self) { try CanonicalJSON.text([number]) }
        }
    }

    private struct Everything: Encodable {
        var nothing: Int?
        var isTrue = true
        var data = Data([0, 1, 254, 255])
        var address = URL(string: "https://example.org/a?b=c")
        var identifier = UUID()
        var instant = Date(timeIntervalSince1970: 1_763_723_280.25)
        var emptyList: [Int] = []
        var emptyObject: [String: Int] = [:]
        var nested: [String: [JSONValue]] = [
            "ä": [.null, .boolean(false), .integer(7), .number(1.5), .string("x"), .array([]), .object(["z": 1, "a": 2])],
            "Z": [], "a": [.object([:])],
        ]
        var optional: [Int?] = [nil, 1]
        var kind = Kind.two
        enum Kind: String, Encodable { case one, two }
    }

    @Test("values of every shape are written as Foundation writes them")
    func shapes() throws {
        let value = Everything()
        #expect(try CanonicalJSON.text(value) == expected(value))
        #expect(try CanonicalJSON.text("alone") == expected("alone"))
        #expect(try CanonicalJSON.text([Int]()) == "[]")
        #expect(try CanonicalJSON.text([String: Int]()) == "{}")
    }

    private final class Nested: Encodable {
        private enum Keys: String, CodingKey { case inner, list, parent }
        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Keys.self)
            var inner = members.nestedContainer(keyedBy: Keys.self, forKey: .inner)
            try inner.encode("first", forKey: .list)
            try inner.encode("second", forKey: .list)
            var list = members.nestedUnkeyedContainer(forKey: .list)
            try list.encode(1)
            var deeper = list.nestedContainer(keyedBy: Keys.self)
            try deeper.encodeNil(forKey: .inner)
            var others = list.nestedUnkeyedContainer()
            try others.encode(list.count)
            try ["a": 1].encode(to: members.superEncoder(forKey: .parent))
            try [2].encode(to: members.superEncoder())
        }
    }

    @Test("nested containers, and a member set twice, are written as Foundation writes them")
    func containers() throws {
        #expect(try CanonicalJSON.text(Nested()) == expected(Nested()))
    }

    @Test("SC-2 a value that is too long is known to be after as many bytes as fit, and no value that fits is refused")
    func longer() throws {
        let values: [JSONValue] = [
            .null, .boolean(true), .boolean(false), .integer(7), .number(1.5), .string(""), .string("\u{e9}/\"\n"),
            .array([]), .object([:]),
            .array([.null, .integer(1), .array([.string("a")])]),
            .object(["a": .object(["b": .array([.number(0.25), .boolean(false)])]), "\u{e9}": .string("x")]),
        ]
        for value in values {
            let count = try CanonicalJSON.bytes(value).count
            #expect(!value.isLonger(than: count), "\(value)")
            #expect(value.isLonger(than: 0), "\(value)")
        }
        #expect(JSONValue.string(String(repeating: "a", count: 99)).isLonger(than: 100))
        let nested = JSONValue.array(Array(repeating: .array([.integer(1)]), count: 60))
        let count = try CanonicalJSON.bytes(nested).count
        #expect(nested.isLonger(than: 240) && !nested.isLonger(than: count))
        // Members that are looked at must not be as many as there are.
        let members = Dictionary(uniqueKeysWithValues: (0..<100_000).map { ("\($0)", JSONValue.array([.integer(1)])) })
        let long = JSONValue.object(["a": .object(members)])
        let clock = LinearGrowth.spent
        let (begin, isLonger) = (clock(), long.isLonger(than: 4_096))
        let looked = clock() - begin
        _ = try CanonicalJSON.bytes(long)
        #expect(isLonger && looked < (clock() - begin - looked) / 10)
    }
}
