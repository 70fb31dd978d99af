// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@Suite("The statements of a receipt about the search")
struct ReceiptSearchTests {
    @Test("PK-2 PL-6 a receipt of an earlier version is read: its found places count as left, and none as similar")
    func earlier() throws {
        var receipt = try Receipt.example()
        receipt.verification.deepScan = .init(extent: .bounded, columns: 3, rows: 9, left: 2, leftIn: ["public.a.b"])
        let text = String(decoding: try receipt.canonicalJSON(), as: UTF8.self)
        let now =
            #""deepScan":{"columns":3,"extent":"bounded","found":["public.a.b"],"left":2,"leftIn":["public.a.b"],"#
            + #""notSearched":[],"occurrences":2,"rows":9,"similar":0,"similarIn":[]}"#
        #expect(text.contains(now), "\(text)")
        let before = #""deepScan":{"columns":3,"extent":"bounded","found":["public.a.b"],"occurrences":2,"rows":9}"#
        let read = try Receipt(json: Data(text.replacing(now, with: before).utf8))
        #expect(read == receipt && !read.isComplete)
        let half = #""deepScan":{"columns":3,"extent":"bounded","left":2,"leftIn":[],"rows":9}"#
        #expect(throws: FarewellError.self) { try Receipt(json: Data(text.replacing(now, with: half).utf8)) }
    }

    @Test("PL-6 text and page separate left, similar and not searched, and only left makes a receipt incomplete")
    func words() throws {
        var receipt = try Receipt.example()
        let whole = ReceiptText.text(receipt)
        #expect(whole.contains("(all of 9,000 rows in 40 columns): nothing left.\n"), "\(whole)")
        #expect(!whole.contains("Similar") && !whole.contains("Not searched"))
        receipt.verification.deepScan.similar = 3
        receipt.verification.deepScan.similarIn = ["public.a.similar"]
        receipt.verification.deepScan.notSearched = [UnsearchedPlace(place: "public.a.unsearched", reason: "bytes")]
        #expect(receipt.isComplete)
        for text in [ReceiptText.text(receipt), ReceiptPage.html(receipt, jws: "")] {
            #expect(text.contains("Similar, and perhaps not the subject"), "\(text)")
            #expect(text.contains("3 values. In: public.a.similar."))
            #expect(text.contains("Not searched: public.a.unsearched (bytes)."))
            #expect(text.contains("nothing left."))
        }
        receipt.verification.deepScan.left = 1
        receipt.verification.deepScan.leftIn = ["public.a.left"]
        #expect(!receipt.isComplete)
        #expect(ReceiptText.text(receipt).contains("left in 1 value. In: public.a.left."))
        #expect(try Receipt(json: receipt.canonicalJSON()) == receipt)
    }
}
