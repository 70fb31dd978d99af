// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension HTTPExchange.Request {
    /// As the system's own networking has it.
    var wire: URLRequest {
        var wire = URLRequest(url: url)
        wire.httpMethod = method
        wire.httpBody = body
        for (name, value) in fields { wire.setValue(value, forHTTPHeaderField: name) }
        return wire
    }
}

extension URLSession {
    /// A session whose answers the delegate gets. Linux does its networking by libcurl, which uses libcrypto.
    static func prepared(_ configuration: URLSessionConfiguration, for answers: any URLSessionDelegate) -> URLSession {
        DeviceCrypto.prepare()
        return URLSession(configuration: configuration, delegate: answers, delegateQueue: nil)
    }
}

extension HTTPExchange.Answer {
    init(_ response: URLResponse?, _ body: Data) throws {
        guard let http = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        let fields = http.allHeaderFields.compactMap { name, value in (name as? String).map { ($0, "\(value)") } }
        self.init(status: http.statusCode, fields: Dictionary(fields) { _, last in last }, body: body)
    }
}

extension ProviderFailure {
    /// There was no answer. An error's text may contain the whole address; its number is enough.
    static func unreached(_ error: any Error) -> ProviderFailure {
        let code = (error as? URLError)?.code.rawValue ?? 0
        return .unavailable(
            FarewellError("device.offline", .tryAgain, "The server was not reached (network error \(code))."))
    }
}
