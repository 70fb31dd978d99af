// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Farewell

@Suite("Base64url")
struct Base64URLTests {
    @Test(
        "the examples of RFC 4648 and RFC 7515 are written and read",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ])
    func examples(bytes: String, text: String) {
        #expect(Base64URL.text(Array(bytes.utf8)) == text)
        #expect(Base64URL.bytes(text) == Array(bytes.utf8))
    }

    @Test("every byte reads back at every position")
    func everyByte() {
        let all = (0...255).map { UInt8($0) }
        for shift in 0..<4 {
            let bytes = Array(all.dropFirst(shift))
            #expect(Base64URL.bytes(Base64URL.text(bytes)) == bytes)
        }
        #expect(Base64URL.text([3, 236, 255, 224, 193]) == "A-z_4ME")
    }

    @Test(
        "a value has one spelling: padding, spaces, the other alphabet and spare bits are refused",
        arguments: [
            "Zg==", "Zm8=", "Zm9v\n", " Zm9v", "Zm 9v", "A+z/4ME", "Z", "Zm9vY", "Zh", "Zm9", "Zm9vYh", "ü", "Zg\0",
        ])
    func refused(text: String) {
        #expect(Base64URL.bytes(text) == nil)
    }
}
