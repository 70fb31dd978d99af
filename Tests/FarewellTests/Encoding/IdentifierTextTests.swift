// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Farewell

@Suite("Identifiers as text")
struct IdentifierTextTests {
    @Test("An identifier is written as Foundation writes it, in lower case")
    func spelling() {
        for _ in 0..<1_000 {
            let identifier = UUID()
            #expect(identifier.text == identifier.uuidString.lowercased())
        }
        #expect(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 252, 253, 254, 255)).text == "00010203-0405-0607-0809-0a0bfcfdfeff")
    }

    @Test("An identifier is read in either case, and no other text is accepted")
    func reading() {
        for _ in 0..<1_000 {
            let identifier = UUID()
            #expect(UUID(text: identifier.text) == identifier && UUID(text: identifier.uuidString) == identifier)
        }
        let text = "00010203-0405-0607-0809-0a0bfcfdfeff"
        #expect(UUID(text: text)?.text == text)
        for place in 0..<36 {
            for wrong in [" ", "g", "-", "0", "\u{0}", "é"] {
                var characters = Array(text)
                characters[place] = Character(wrong)
                let isHyphen = text[text.index(text.startIndex, offsetBy: place)] == "-"
                let isDigit = wrong == "0" && !isHyphen || wrong == "-" && isHyphen
                #expect((UUID(text: String(characters)) != nil) == isDigit, "\(String(characters))")
            }
        }
        for wrong in ["", text + "0", String(text.dropLast()), "{\(text)}", text.replacing("-", with: ""), " " + text.dropFirst()] {
            #expect(UUID(text: wrong) == nil, "\(wrong)")
        }
    }

    @Test("A random identifier is marked as random (RFC 9562: version 4, variant 10), and never repeats")
    func random() {
        var generator = SystemRandomNumberGenerator()
        let identifiers = (0..<1_000).map { _ in UUID.random(from: &generator) }
        #expect(Set(identifiers).count == 1_000)
        #expect(identifiers.allSatisfy { $0.uuid.6 >> 4 == 4 && $0.uuid.8 >> 6 == 2 })
        let ones = identifiers.map { $0.text.utf8.count { $0 == UInt8(ascii: "1") } }.reduce(0, +)
        #expect((1_000...3_000).contains(ones))
    }
}
