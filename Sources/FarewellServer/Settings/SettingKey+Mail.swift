// SPDX-License-Identifier: Apache-2.0

/// The settings of mail.
extension SettingKey {
    static let mail: [SettingKey] = [
        mailHook, mailSecret, mailSecretFile, mailCommand, mailFrom, mailSite, mailRedirects,
    ]

    static let mailHook = SettingKey(
        "mail.hook", .text, "none", "The address that sends the posted mails: HTTPS, or HTTP on this machine.")
    static let mailSecret = SettingKey(
        "mail.hook-secret", .text, "none", "The signing secret of these calls: whsec_ and base64; two in a rotation.",
        isSecret: true)
    static let mailSecretFile = SettingKey(
        "mail.hook-secret-file", .text, "none", "The file with it, instead of mail.hook-secret.")
    static let mailCommand = SettingKey(
        "mail.command", .list, "none",
        "A program that sends the message on its input, and its arguments: /usr/sbin/sendmail, -i, -t.")
    static let mailFrom = SettingKey("mail.from", .text, "none", "The sender of mails: the field From.")
    static let mailSite = SettingKey(
        "mail.site", .text, "the issuer without /auth/v1", "The address of your app or site in mails.")
    static let mailRedirects = SettingKey(
        "mail.redirects", .list, "none",
        "Addresses that GET /verify may redirect to, besides mail.site; one that ends in / is a prefix.")
}
