// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import Foundation
import Subprocess
import Testing

@Suite("TLS")
struct ServerTLSTests {
    /// Talks TLS to a port: prints the version and the certificate's name, or why not.
    private static let talk = """
        import socket, ssl, sys
        context = ssl.create_default_context(); context.check_hostname = False; context.verify_mode = ssl.CERT_NONE
        if sys.argv[2] == "1.2": context.maximum_version = ssl.TLSVersion.TLSv1_2
        try:
            with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=120) as plain:
                with context.wrap_socket(plain) as secure:
                    from cryptography import x509
                    name = x509.load_der_x509_certificate(secure.getpeercert(True)).subject.rfc4514_string()
                    secure.sendall(b"GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n")
                    print(secure.version(), name, secure.recv(65536).decode())
        except ssl.SSLError as error:
            print("refused", error.reason)
        """

    private func python(_ script: String, _ arguments: [String]) async throws -> String {
        let result = try await Subprocess.run(
            .name("python3"), arguments: .init(["-c", script] + arguments), input: .none, output: .string(limit: 1 << 20),
            error: .string(limit: 1 << 20))
        return result.standardOutput + result.standardError
    }

    /// When the files were written, as far as their dates tell.
    private static let day = Date(timeIntervalSince1970: 1_700_000_000)

    /// Puts a certificate and its key in their places, as if both were written on `day`.
    private func putCertificate(_ name: String, written day: Date = Self.day, in place: ServerPlace) async throws {
        let folder = place.folder.path
        let made = try await Subprocess.run(
            .name("openssl"),
            arguments: [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=\(name)", "-keyout", "\(folder)/new-key.pem", "-out", "\(folder)/new-chain.pem",
            ], input: .none, output: .discarded, error: .string(limit: 1 << 20))
        try #require(made.terminationStatus == .exited(0), "\(made.standardError)")
        for file in ["key.pem", "chain.pem"] { try put(file, written: day, in: place) }
    }

    /// Puts the new file in the place of the old one, in one step.
    private func put(_ name: String, written day: Date = Self.day, in place: ServerPlace) throws {
        let new = place.folder.appendingPathComponent("new-" + name).path
        try FileManager.default.setAttributes([.modificationDate: day], ofItemAtPath: new)
        try #require(rename(new, place.folder.appendingPathComponent(name).path) == 0)
    }

    /// The files' dates are unchanged, so a check of the files sees no change.
    @Test("the server speaks TLS 1.3 and nothing older, and loads a new certificate on SIGHUP")
    func reload() async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await putCertificate("first", in: place)
            let status = try await place.serving("tls: {certificate: chain.pem, key: key.pem}") { server in
                #expect(server.url.hasPrefix("https://"))
                let first = try await python(Self.talk, ["\(server.port)", "1.3"])
                #expect(first.contains("TLSv1.3 CN=first") && first.contains("200 OK"), "\(first)")
                #expect(first.lowercased().contains("strict-transport-security"))
                let old = try await python(Self.talk, ["\(server.port)", "1.2"])
                #expect(old.contains("refused"), "\(old)")
                try await putCertificate("second", in: place)
                server.signal(SIGHUP)
                var seen = ""
                try await eventually {
                    seen = try await python(Self.talk, ["\(server.port)", "1.3"])
                    return seen.contains("CN=second")
                }
                // A file that is no certificate changes nothing.
                try Data("no certificate".utf8).write(to: place.folder.appendingPathComponent("new-chain.pem"))
                try put("chain.pem", in: place)
                server.signal(SIGHUP)
                var log = ""
                try await eventually {
                    seen = try await python(Self.talk, ["\(server.port)", "1.3"])
                    log = try String(contentsOf: place.log, encoding: .utf8)
                    return log.contains("not reloaded")
                }
                #expect(seen.contains("CN=second"), "\(seen) \(log)")
            }
            #expect(status == 0)
        }
    }

    @Test("a new certificate is loaded when its files have changed, even without a signal")
    func watched() async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await putCertificate("first", in: place)
            let status = try await place.serving("tls: {certificate: chain.pem, key: key.pem}") { server in
                try await putCertificate("second", written: Self.day.addingTimeInterval(1), in: place)
                try await eventually {
                    try await python(Self.talk, ["\(server.port)", "1.3"]).contains("CN=second")
                }
            }
            #expect(status == 0)
        }
    }

    @Test("SC-1 a TLS key that every user of the machine may read is refused at start, with the remedy")
    func exposedKey() async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await putCertificate("first", in: place)
            let key = place.folder.appendingPathComponent("key.pem").path
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
            let end = try await place.call(
                ["serve", "--port", "0"],
                environment: ["FAREWELL_TLS_CERTIFICATE": place.folder.path + "/chain.pem", "FAREWELL_TLS_KEY": key])
            #expect(end.status == 2 && end.errors.contains("chmod 600") && end.errors.contains("key.pem"), "\(end)")
        }
    }
}
