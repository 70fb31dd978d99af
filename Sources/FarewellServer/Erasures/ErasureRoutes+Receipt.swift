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
                id: "getReceipt", summary: "Get the signed receipt of an erasure", tag: "erasures",
                parameters: [.erasureID, .erasureTicket],
                answers: [
                    200: .init(
                        meaning: "A compact JSON Web Signature. farewell receipt verify checks it.", schema: .text,
                        type: "application/jose")
                ], refusals: [404: Self.unreadable])
        ) { call in
            guard let signed = try await deletion.signedReceipt(of: try await deletion.erasure(of: call)) else {
                throw Self.noReceipt
            }
            return Response(
                status: .ok, headers: [.contentType: "application/jose"],
                body: .init(byteBuffer: .init(string: signed)))
        }
    }

    var receiptPage: Route {
        Route(
            .get, Self.root + "/{id}/receipt/page",
            RouteOperation(
                id: "readReceipt", summary: "Get the receipt of an erasure as a page", tag: "erasures",
                parameters: [.erasureID, .erasureTicket],
                answers: [200: .init(meaning: "The receipt as HTML.", schema: .text, type: "text/html")],
                refusals: [404: Self.unreadable])
        ) { call in
            guard let page = try await deletion.receiptPage(of: try await deletion.erasure(of: call)) else {
                throw Self.noReceipt
            }
            return .receiptPage(page)
        }
    }

    private static let unreadable: Set = ["erasure.no-receipt", "erasure.not-found"]

    private static let noReceipt = FarewellError("erasure.no-receipt", .yoursToFix, "There is no receipt yet.")
}

extension Response {
    /// A receipt to read, as a file to keep.
    static func receiptPage(_ html: String) -> Response {
        download(html, "text/html; charset=utf-8", "receipt.html")
    }

    /// A signed receipt, as a file to keep.
    static func signedReceipt(_ jws: String) -> Response { download(jws, "application/jose", "receipt.jws") }

    private static func download(_ text: String, _ type: String, _ name: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: type, .disposition: "attachment; filename=\"\(name)\""],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
