// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellServer
import Logging

/// `farewell serve`: the session authority over HTTP.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve sign-in and sessions, erasures, the pages for users and the console.",
        discussion: """
            Speaks the Supabase Auth contract under /auth/v1, so that existing clients work unchanged. The first \
            start creates keys in the state directory, which only its owner can read.

              farewell serve                                # SQLite, http://127.0.0.1:9999
              farewell serve --settings farewell.server.yaml
              FAREWELL_DATABASE_URL=postgresql://app@db/app farewell serve

            Every setting is also a variable: http.port is FAREWELL_HTTP_PORT. docs/settings.md lists them. With \
            --host 0.0.0.0, set tokens.issuer to the server's public address. SIGTERM and Ctrl-C let running calls \
            finish; SIGHUP reloads the TLS certificate and the plan.

            \(ExitStatus.pointer)
            """)

    @OptionGroup var options: ServeOptions

    func run() async throws {
        let settings = try options.settings()
        try await Self.logging(settings) { log in
            let server = try await StartRetry().open(log: log) {
                try await ServerAssembly.open(settings, log: log, connecting: PlanSystems.connecting)
            }
            try await server.serve { address in Terminal.output.line("Listening on \(address)") }
        }
    }

    /// Lends the log of a server: on standard error, according to the settings. All of it is written at the end.
    static func logging(_ settings: ServeSettings, _ body: (Logger) async throws -> Void) async throws {
        // Made once: detecting a terminal reads the whole environment.
        let error = Terminal.error
        let lines = LogLines { error.write($0) }
        defer { lines.flush() }
        try await body(
            Logger(label: "farewell") { _ in
                ServerLog(settings.logFormat, level: settings.logLevel) { lines.add($0) }
            })
    }
}

/// The settings file, and the options that override it.
struct ServeOptions: ParsableArguments {
    @OptionGroup var authority: AuthorityOptions

    @Option(help: ArgumentHelp("The address to listen on. Default: 127.0.0.1.", valueName: "address"))
    var host: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The port to listen on; 0 chooses a free one. Default: 9999.", valueName: "number"))
    var port: Int?

    func validate() throws {
        try refuseEmpty([("--host", host)])
        if let port, !(0...65_535).contains(port) { throw ValidationError("--port is 0 to 65535.") }
    }

    func settings() throws -> ServeSettings {
        var read = try authority.settings()
        read.server.host = host ?? read.server.host
        read.server.port = port ?? read.server.port
        return read
    }
}
