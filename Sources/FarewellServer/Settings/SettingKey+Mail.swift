// SPDX-License-Identifier: Apache-2.0

/// The settings of mail.
extension SettingKey {
    static let mail: [SettingKey] = [
        mailHook, mailSecret, mailSecretFile, mailCommand, mailFrom, mailSite, mailRedirects,
    ]

    static let mailHook = SettingKey(
        "mail.hook", .text, "none", "Where mails are posted to be sent: HTTPS, or HTTP on this machine.")
    static let mailSecret = SettingKey(
        "mail.hook-secret", .text, "none", "What signs these calls: whsec_ and base64; two while one replaces another.",
        isSecret: true)
    static let mailSecretFile = SettingKey(
        "mail.hook-secret-file", .text, "none", "The file that holds it, instead of mail.hook-secret.")
    static let mailCommand = SettingKey(
        "mail.command", .list, "none",
        "A program that sends the message it reads, and its arguments: /usr/sbin/sendmail, -i, -t.")
    static let mailFrom = SettingKey("mail.from", .text, "none", "Whose mails they are: the field From.")
    static let mailSite = SettingKey(
        "mail.site", .text, "the issuer without /auth/v1", "The address of your app or site, as mails name it.")
    static let mailRedirects = SettingKey(
        "mail.redirects", .list, "none",
        "Addresses that GET /verify may lead to beside mail.site; one that ends in / allows what begins with it.")
}
