// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import HTTPTypes
import Hummingbird
import NIOCore

/// The proof of an erasure: signed, and to read.
extension ErasureRoutes {
    var receipt: Route {
        Route(
            .get, Self.root + "/{id}/receipt",
            RouteOperation(
                id: "getReceipt", summary: "The signed receipt of an erasure", tag: "erasures",
                parameters: [Self.idParameter, Self.ticketParameter],
                answers: [
                    200: .init(
                        meaning: "A compact JSON Web Signature; farewell receipt verifies it.", schema: .text,
                        type: "application/jose")
                ])
        ) { call in
            guard let signed = try await signedReceipt(of: try await erasure(call)) else { throw Self.noReceipt }
            return Response(
                status: .ok, headers: [.contentType: "application/jose"],
                body: .init(byteBuffer: .init(string: signed)))
        }
    }

    var receiptPage: Route {
        Route(
            .get, Self.root + "/{id}/receipt/page",
            RouteOperation(
                id: "readReceipt", summary: "The receipt of an erasure as a page to read and keep", tag: "erasures",
                parameters: [Self.idParameter, Self.ticketParameter],
                answers: [200: .init(meaning: "A page of HTML.", schema: .text, type: "text/html")])
        ) { call in
            guard let page = try await readable(try await erasure(call)) else { throw Self.noReceipt }
            return page
        }
    }

    private static let noReceipt = FarewellError("erasure.no-receipt", .yoursToFix, "There is no receipt yet.")

    /// The signed receipt; nil while there is none, and while the account is still there.
    func signedReceipt(of erasure: RequestedErasure) async throws -> String? {
        guard let signed = erasure.receipt, try await !keepsAccount(erasure) else { return nil }
        return signed
    }

    /// The receipt as a page that is kept and not shown here; nil while there is none.
    func readable(_ erasure: RequestedErasure) async throws -> Response? {
        guard let signed = try await signedReceipt(of: erasure) else { return nil }
        let receipt = try await serving.engine.openReceipt(of: erasure.id)
        return Self.download(ReceiptPage.html(receipt, jws: signed), "text/html; charset=utf-8", "receipt.html")
    }

    static func download(_ text: String, _ type: String, _ name: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: type, .disposition: "attachment; filename=\"\(name)\""],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
