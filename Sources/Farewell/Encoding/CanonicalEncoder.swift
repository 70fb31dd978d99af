// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Encodes a value into a tree, to be written in the canonical form.
///
/// It gives the same result as Foundation's encoder, in a fraction of the time: a receipt and its lines in the audit
/// log and the ledger are each written so, for every account. It has no strategies, and no coding path in its errors.
struct CanonicalEncoder: Encoder {
    let node: CanonicalNode

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeObject()
        return KeyedEncodingContainer(Members(node: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeArray()
        return Elements(node: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(node: node) }

    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let node: CanonicalNode
        var codingPath: [any CodingKey] { [] }

        private func member(_ key: Key) -> CanonicalNode { node.member(key.stringValue) }

        func encodeNil(forKey key: Key) { node.add(key.stringValue, .null) }
        func encode(_ value: Bool, forKey key: Key) { node.add(key.stringValue, .boolean(value)) }
        func encode(_ value: String, forKey key: Key) { node.add(key.stringValue, .string(value)) }
        func encode(_ value: Int, forKey key: Key) { node.add(key.stringValue, .integer(Int64(value))) }
        func encode(_ value: Int64, forKey key: Key) { node.add(key.stringValue, .integer(value)) }
        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try member(key).take(value) }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            CanonicalEncoder(node: member(key)).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            CanonicalEncoder(node: member(key)).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { CanonicalEncoder(node: node.member("super")) }
        func superEncoder(forKey key: Key) -> any Encoder { CanonicalEncoder(node: member(key)) }
    }

    private struct Elements: UnkeyedEncodingContainer {
        let node: CanonicalNode
        var codingPath: [any CodingKey] { [] }
        var count: Int { node.count }

        func encodeNil() { node.element().set(.null) }
        func encode(_ value: String) { node.element().set(.string(value)) }
        func encode<Value: Encodable>(_ value: Value) throws { try node.element().take(value) }

        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            CanonicalEncoder(node: node.element()).container(keyedBy: type)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            CanonicalEncoder(node: node.element()).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { CanonicalEncoder(node: node.element()) }
    }

    private struct Single: SingleValueEncodingContainer {
        let node: CanonicalNode
        var codingPath: [any CodingKey] { [] }

        func encodeNil() { node.set(.null) }
        func encode(_ value: Bool) { node.set(.boolean(value)) }
        func encode(_ value: String) { node.set(.string(value)) }
        func encode(_ value: Int) { node.set(.integer(Int64(value))) }
        func encode(_ value: Int64) { node.set(.integer(value)) }
        func encode(_ value: Int8) { node.set(.integer(Int64(value))) }
        func encode(_ value: Int16) { node.set(.integer(Int64(value))) }
        func encode(_ value: Int32) { node.set(.integer(Int64(value))) }
        func encode(_ value: UInt8) { node.set(.integer(Int64(value))) }
        func encode(_ value: UInt16) { node.set(.integer(Int64(value))) }
        func encode(_ value: UInt32) { node.set(.integer(Int64(value))) }
        func encode(_ value: UInt) { node.set(.number("\(value)")) }
        func encode(_ value: UInt64) { node.set(.number("\(value)")) }
        func encode(_ value: Float) throws { try node.take(fraction: Double(value), "\(value)", value) }
        func encode(_ value: Double) throws { try node.take(fraction: value, "\(value)", value) }
        func encode<Value: Encodable>(_ value: Value) throws { try node.take(value) }
    }
}
