// SPDX-License-Identifier: Apache-2.0

@testable import FarewellServer
import Testing

@Suite("The targets of links")
struct RedirectRuleTests {
    private let rule = RedirectRule(
        site: "https://app.example.org/start",
        allowed: [
            "org.example.app://in", "https://other.example/in/", "http://localhost:3000/", "https://third.example/in?app=1",
        ])

    @Test(
        "SC-3 a link leads to the site and to the targets in the settings",
        arguments: [
            "https://app.example.org", "https://app.example.org/", "https://app.example.org/deep?x=1", "org.example.app://in",
            "org.example.app://in?x=1", "https://other.example/in/", "https://other.example/in/side", "http://localhost:3000/a",
            "https://third.example/in?app=1",
        ])
    func allowed(_ address: String) {
        #expect(rule.target(address) == address)
        #expect(rule.target(address + "#access_token=x") == address, "a foreign fragment is dropped")
    }

    @Test(
        "SC-3 a link leads to no other target",
        arguments: [
            "https://evil.example/", "https://app.example.org.evil.example/", "https://app.example.org@evil.example/",
            "https://app.example.org:444/", "http://app.example.org/", "//evil.example", "/\\evil.example",
            "javascript://app.example.org/%0aalert(1)",
            "javascript:alert(1)", "data:text/html,x", "https://other.example/inside", "https://other.example/in/../out",
            "https://other.example", "https://third.example/in", "https://third.example/in?app=2", "https://third.example/in?app=1&x",
            "org.example.app://inside", "org.example.app://in/side", "https:app.example.org", "https:///app.example.org",
            "https://app.example.org\\@evil.example",
            "https://app.example.org/\u{0}", "https://app.example.org/ x", "https://app.exa\u{301}mple.org/", "HTTPS://evil.example", "",
            "nowhere",
            "https://app.example.org/\r\nSet-Cookie:a=b",
        ])
    func refused(_ address: String) {
        #expect(rule.target(address) == rule.site)
    }

    @Test("SC-3 a link without a target leads to the site; an entry in the settings is a whole address")
    func entries() {
        #expect(rule.target(nil) == "https://app.example.org/start")
        for entry in ["https://", "https", "*", "https://a@b/", "https://a/#x", ""] { #expect(!RedirectRule.isAddress(entry), "\(entry)") }
        for entry in rule.allowed { #expect(RedirectRule.isAddress(entry)) }
    }

    @Test(
        "a code becomes the one parameter of its name in the query of a target",
        arguments: [
            ("https://a.example", "https://a.example?code=c-1"), ("https://a.example/in?", "https://a.example/in?code=c-1"),
            ("https://a.example/in?x=1&y", "https://a.example/in?x=1&y&code=c-1"),
            ("https://a.example/in?code=other&x=1&%63ode=other", "https://a.example/in?x=1&code=c-1"),
            ("https://a.example/in?codes=1&next=?code=2", "https://a.example/in?codes=1&next=?code=2&code=c-1"),
            ("org.example.app://in", "org.example.app://in?code=c-1"),
        ])
    func code(_ target: String, _ expected: String) {
        #expect(RedirectRule.address(target, code: "c-1") == expected)
    }

    @Test(
        "the policy of a page names the scheme of a target, to which the app may redirect on, and nothing that is no source",
        arguments: [
            ("https://a.example:8443/in?x=1", "https:"), ("HTTPS://a.example", "https:"), ("http://localhost:3000/", "http: https:"),
            ("org.example.app://in/side", "org.example.app:"), ("a;script-src https://a", ""), ("nowhere", ""), (":", ""), ("", ""),
        ])
    func source(_ target: String, _ expected: String) {
        #expect(RedirectRule(site: "https://a.example", allowed: ["https://a.example/in"]).policySources(of: target) == expected)
    }

    @Test(
        "a web address may redirect on to the schemes of apps that the settings name, and to no other scheme",
        arguments: [
            ("https://a.example/in", "https: com.example.other: org.example.app:"),
            ("http://localhost:3000/", "http: https: com.example.other: org.example.app:"), ("org.example.app://in", "org.example.app:"),
        ])
    func apps(_ target: String, _ expected: String) {
        let allowed = ["org.example.app://in", "ORG.example.app://side/", "https://b.example/", "com.example.other://x", "data://x"]
        #expect(RedirectRule(site: "https://a.example", allowed: allowed).policySources(of: target) == expected)
    }
}
