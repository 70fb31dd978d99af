// SPDX-License-Identifier: Apache-2.0

import Farewell
import HTTPTypes
import Hummingbird

/// Refusals of requests that belong to no route, as pages for browsers. Programs receive JSON, and so does every caller
/// of a path of the interface, whatever it accepts: some clients name `text/html` by default.
struct RefusalPages: Sendable {
    private let library: PageLibrary
    /// The first parts of the paths of the interface.
    private let interface: Set<[UInt8]>
    /// The origin of the pages, for visitors who called the server by another name of its host; empty if none is known.
    private let origin: String

    /// - Parameters:
    ///   - routes: The routes of the interface.
    ///   - issuer: The address that users know.
    init(_ library: PageLibrary, routes: [Route], issuer: String) {
        self.library = library
        interface = Set(routes.map { Self.firstPart(of: $0.path) })
        origin = PageGuard.origin(of: issuer)
    }

    /// The page of a refusal; nil for a caller who needs JSON.
    func page(_ answer: ErrorAnswer, _ request: Request) -> Response? {
        let first = Self.firstPart(of: request.uri.path)
        guard !interface.contains(first), Self.acceptsPages(request.headers) else { return nil }
        let back = Self.isConsole(first) ? ServerPaths.console : ServerPaths.account
        // A path alone would lead to the name that is not accepted.
        let isElsewhere = answer.status == .misdirectedRequest
        let whole = origin.isEmpty ? nil : origin + back
        var page = library.problem(answer, request.headers, back: isElsewhere ? whole : back)
        page.headers[.vary] = "Accept, Accept-Language, Cookie"
        return page
    }

    /// Whether the caller names `text/html` and does not exclude it (RFC 9110, 12.5.1), as a browser does that opens an
    /// address.
    static func acceptsPages(_ headers: HTTPFields) -> Bool {
        (headers[.accept] ?? "").utf8.split(separator: UInt8(ascii: ",")).contains { entry in
            let written = Substring(entry).lowercased().utf8.filter { !" \t".utf8.contains($0) }
            let parts = written.split(separator: UInt8(ascii: ";"))
            guard let type = parts.first, type.elementsEqual("text/html".utf8) else { return false }
            return !parts.dropFirst().contains { part in
                part.starts(with: "q=0".utf8) && part.dropFirst(3).allSatisfy { ".0".utf8.contains($0) }
            }
        }
    }

    /// Whether a path is below the console.
    static func isOfConsole(_ path: String) -> Bool { isConsole(firstPart(of: path)) }

    private static func isConsole(_ first: [UInt8]) -> Bool {
        first.elementsEqual(ServerPaths.console.utf8.dropFirst())
    }

    /// As bytes, because the path may hold anything.
    private static func firstPart(of path: String) -> [UInt8] {
        Array(path.utf8.dropFirst().prefix { $0 != UInt8(ascii: "/") })
    }
}
