// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes

/// Keeps cookies, and fills in the form of the page that it shows.
struct MountedBrowser {
    let mount: ErasureMount
    var cookies: [String: String] = [:]
    private var form = ""

    init(mount: ErasureMount) { self.mount = mount }

    mutating func open(_ path: String) async throws -> ErasureMount.Answer {
        take(try await mount.ask(.get, path, ["Cookie": cookieField]))
    }

    mutating func send(_ path: String, _ values: [String: String]) async throws -> ErasureMount.Answer {
        let body = ["form": form].merging(values) { $1 }.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }.joined(separator: "&")
        return take(
            try await mount.ask(
                .post, path, json: body,
                ["Cookie": cookieField, "Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded"]))
    }

    private var cookieField: String { cookies.map { "\($0)=\($1)" }.joined(separator: "; ") }

    private mutating func take(_ answer: ErasureMount.Answer) -> ErasureMount.Answer {
        for field in answer.headers[values: .setCookie] {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard pair.count == 2 else { continue }
            cookies[pair[0]] = pair[1].isEmpty ? nil : pair[1]
        }
        if let found = answer.text.firstMatch(of: #/name="form" value="([^"]*)"/#) { form = String(found.1) }
        return answer
    }
}
