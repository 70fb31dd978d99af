// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import NIOSSL

/// The files of a TLS server, read anew whenever they change.
public struct TLSFiles: Sendable, Hashable {
    /// The certificate chain, PEM, the server's own first.
    public var certificate: String
    /// Its private key, PEM.
    public var key: String
    /// The oldest version spoken.
    public var oldest: Version

    /// A version of TLS that is still safe to speak.
    public enum Version: String, Sendable, Hashable, CaseIterable {
        case tls12 = "1.2"
        case tls13 = "1.3"
    }

    public init(certificate: String, key: String, oldest: Version = .tls13) {
        self.certificate = certificate
        self.key = key
        self.oldest = oldest
    }

    /// Reads both files.
    ///
    /// - Throws: `tls.unreadable`, `tls.malformed`, `tls.mismatch`; the errors contain nothing of the files.
    func context() throws -> NIOSSLContext {
        let chain = try PEMReading.chain(try bytes(certificate, "certificate"))
        let privateKey = try PEMReading.key(try bytes(key, "key"))
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
        configuration.minimumTLSVersion = oldest == .tls13 ? .tlsv13 : .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw FarewellError(
                "tls.mismatch", .yoursToFix, "The TLS key does not belong to the TLS certificate.",
                remedy: "Give the two files that were issued together.")
        }
    }

    /// When the files last changed; nil while one cannot be looked at.
    func stamp() -> [Date]? {
        let dates = [certificate, key].compactMap {
            (try? FileManager.default.attributesOfItem(atPath: $0))?[.modificationDate] as? Date
        }
        return dates.count == 2 ? dates : nil
    }

    private func bytes(_ path: String, _ what: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw FarewellError(
                "tls.unreadable", .yoursToFix, "The TLS \(what) at \(path) cannot be read.",
                remedy: "Check that the file exists and that the server's user may read it.")
        }
        return Array(data)
    }
}

/// Reads PEM by NIOSSL, with explanatory errors.
private enum PEMReading {
    static func chain(_ bytes: [UInt8]) throws -> [NIOSSLCertificate] {
        guard let chain = try? NIOSSLCertificate.fromPEMBytes(bytes), !chain.isEmpty else {
            throw malformed("certificate", "a chain of certificates in PEM")
        }
        return chain
    }

    static func key(_ bytes: [UInt8]) throws -> NIOSSLPrivateKey {
        guard let key = try? NIOSSLPrivateKey(bytes: bytes, format: .pem) else {
            throw malformed("key", "a private key in PEM, without a passphrase")
        }
        return key
    }

    private static func malformed(_ what: String, _ wanted: String) -> FarewellError {
        FarewellError(
            "tls.malformed", .yoursToFix, "The TLS \(what) is not \(wanted).", remedy: "Give a file of that form.")
    }
}
