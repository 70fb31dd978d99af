// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSessions
import Foundation

/// A mail as a readable message (RFC 5322): plain text with the link and the code, or with the warning.
struct MailMessage {
    let text: String

    init(_ mail: Mail, from: String, site: String, landing: MailLanding, at now: Date) {
        let subject = Self.words(mail.purpose).subject
        let host = from.split(separator: "@").last.map { $0.filter { $0 != ">" } } ?? "localhost"
        // An address is made of no character that could end a field or begin another (EmailAddress).
        text = """
            From: \(from)
            To: \(mail.address)
            Subject: \(subject)
            Date: \(Self.date(now))
            Message-ID: <\(mail.id.text)@\(host)>
            MIME-Version: 1.0
            Content-Type: text/plain; charset=utf-8
            Content-Transfer-Encoding: 8bit
            Auto-Submitted: auto-generated

            \(Self.body(mail, site, link: landing.link(of: mail, site: site)))

            """
    }

    private static func body(_ mail: Mail, _ site: String, link: String?) -> String {
        let sentence = words(mail.purpose).sentence
        switch mail.purpose {
        case .emailChanged:
            return """
                \(sentence)
                It was an account at \(site). If you did not
                change it, another person has access to it: contact the operator now.
                """
        case .erasureRequested:
            return """
                \(sentence)
                Until then you can sign in at \(site) and keep it.
                If you did not request this, sign in now and change your password.
                """
        case .signUp, .recovery, .emailChange, .reauthentication:
            return """
                \(sentence)

                \(proofs(mail, link).joined(separator: "\n\nor, where you requested it, enter the code\n\n"))

                It is valid for ten minutes and for one use. It is for \(site);
                do not use it elsewhere or share it. If you did not request it,
                you need not do anything.
                """
        }
    }

    /// The link, or the long code if there is none, then the digits.
    private static func proofs(_ mail: Mail, _ link: String?) -> [String] {
        [link ?? mail.token] + (mail.code.isEmpty ? [] : ["    \(mail.code)"])
    }

    private static func words(_ purpose: MailPurpose) -> (subject: String, sentence: String) {
        switch purpose {
        case .signUp: ("Confirm your e-mail address", "To confirm your e-mail address, open")
        case .recovery: ("Your code to sign in", "To get into your account without your password, open")
        case .emailChange: ("Confirm your new e-mail address", "To confirm your new e-mail address, open")
        case .reauthentication: ("Your code to change your password", "To change your password, open")
        case .emailChanged:
            ("Your e-mail address was changed", "This is no longer the e-mail address of your account.")
        case .erasureRequested:
            ("Your account is going to be deleted", "Someone requested the deletion of your account.")
        }
    }

    /// As RFC 5322, 3.3 has it, in universal time.
    private static func date(_ date: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.weekday, .day, .month, .year, .hour, .minute, .second], from: date)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int?) -> String { ((number ?? 0) < 10 ? "0" : "") + String(number ?? 0) }
        let day = days[(parts.weekday ?? 1) - 1]
        let month = months[(parts.month ?? 1) - 1]
        return "\(day), \(two(parts.day)) \(month) \(parts.year ?? 1970) "
            + "\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second)) +0000"
    }
}
