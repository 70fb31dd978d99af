// SPDX-License-Identifier: Apache-2.0

@testable import FarewellErasure
import Testing

@Suite("The search of a database's files")
struct ResidueScanTests {
    @Test("BX-5 it counts what a byte-by-byte comparison of the whole file counts, however the file is cut into pieces")
    func oracle() {
        var random = SystemRandomNumberGenerator()
        // Few letters: identifiers overlap themselves, one another and the cuts.
        let letters = Array("ab".utf8)
        for _ in 0..<300 {
            let needles = Set((0..<3).map { _ in word(1...6, letters, using: &random) })
            var scan = ResidueScan(for: needles.map { String(decoding: $0, as: UTF8.self) })
            var expected = 0
            for file in 0..<2 {
                let text = word(0...60, letters, using: &random)
                for start in text.indices {
                    expected += needles.count { text[start...].starts(with: $0) }
                }
                var rest = text[...]
                while !rest.isEmpty {
                    let piece = rest.prefix(Int.random(in: 1...9, using: &random))
                    scan.take(Array(piece), of: file)
                    rest = rest.dropFirst(piece.count)
                }
            }
            #expect(scan.occurrences == expected, "\(needles)")
        }
    }

    private func word(
        _ lengths: ClosedRange<Int>, _ letters: [UInt8], using random: inout SystemRandomNumberGenerator
    ) -> [UInt8] {
        (0..<Int.random(in: lengths, using: &random)).map { _ in letters.randomElement(using: &random) ?? 0 }
    }
}
