// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import HTTPTypes
import Hummingbird
import Mustache
import NIOCore

/// Makes pages out of templates, words and values.
struct PageLibrary: Sendable {
    let settings: PageSettings
    private let library: MustacheLibrary

    init(_ settings: PageSettings) {
        self.settings = settings
        // A template that cannot be read would be missing on every page; a test looks at each.
        library = MustacheLibrary(
            templates: Self.templates.compactMapValues { try? MustacheTemplate(string: $0) })
    }

    static let templates = PageTemplates.all.merging(ConsoleTemplates.all) { page, _ in page }

    /// The words of a page, in the browser's preferred language.
    func words(for headers: HTTPFields) -> PageWords { PageWords(for: headers, replacing: settings.words) }

    /// One page.
    ///
    /// - Parameters:
    ///   - values: The values of the template beside its words; each is escaped.
    ///   - onward: The sources of other places to which the answer to the page's form may redirect.
    func page(
        _ template: String, title: String, _ words: PageWords, _ values: [String: Any] = [:],
        status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], onward: String = ""
    ) -> Response {
        let text = text(template, title: title, words, values)
        var headers = headers
        for field in Self.fields(onward) { headers[field.name] = field.value }
        headers[.vary] = "Accept-Language, Cookie"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// The same as text.
    func text(_ template: String, title: String, _ words: PageWords, _ values: [String: Any]) -> String {
        var values = values
        values["t"] = words.all
        values["title"] = title
        values["name"] = settings.name
        values["home"] = values["home"] ?? "/account"
        values["hasLogo"] = settings.logo != nil
        values["language"] = words.copy.language
        values["direction"] = words.copy.isRightToLeft ? "rtl" : "ltr"
        return library.render(values, withTemplate: template) ?? ""
    }

    /// Nothing from elsewhere, nothing inline, no frames (item 32).
    private static func fields(_ onward: String) -> HTTPFields {
        let targets = onward.isEmpty ? "'self'" : "'self' " + onward
        return [
            .contentType: "text/html; charset=utf-8",
            .contentSecurityPolicy: "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
                + "connect-src 'self'; form-action \(targets); base-uri 'none'; frame-ancestors 'none'",
        ]
    }

    /// The style sheet, the script and the picture: kept for a while, looked at again by their mark.
    func file(_ text: [UInt8], type: String, _ headers: HTTPFields) -> Response {
        let mark = "\"\(text.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 })\""
        let fields: HTTPFields = [.contentType: type, .cacheControl: "public, max-age=300", .eTag: mark]
        let isKnown = EntityTag.isNamed(mark, in: headers[.ifNoneMatch])
        guard !isKnown else { return Response(status: .notModified, headers: fields) }
        return Response(status: .ok, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: text)))
    }

    /// A refusal as a page for users.
    ///
    /// - Parameter back: The address to which its button leads; nil shows no button.
    func problem(_ answer: ErrorAnswer, _ headers: HTTPFields, back: String? = ServerPaths.account) -> Response {
        let words = words(for: headers)
        let text =
            switch answer.status.code {
            case 404: words["noPage"]
            case 401: words["sessionGone"]
            case 403: words["formStale"]
            case 405: words["onlyByForm"]
            case 413: words["tooLarge"]
            case 421: words["otherAddress"]
            case 429: words["tooMany"]
            case 431: words["headTooLarge"]
            default: words["unavailable"]
            }
        var fields: HTTPFields = [:]
        if let seconds = answer.retryAfter { fields[.retryAfter] = String(seconds) }
        var values: [String: Any] = ["problem": text, "isHomeless": back == nil]
        if let back { (values["back"], values["home"]) = (back, back) }
        return page(
            "problem", title: words["problemTitle"], words, values, status: answer.status, headers: fields)
    }
}
