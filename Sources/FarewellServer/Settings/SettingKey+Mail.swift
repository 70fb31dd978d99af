// SPDX-License-Identifier: Apache-2.0

/// The settings of mail.
extension SettingKey {
    static let mail: [SettingKey] = [
        mailHook, mailSecret, mailSecretFile, mailCommand, mailFrom, mailSite, mailRedirects,
    ]

    static let mailHook = SettingKey(
        "mail.hook", .text, "none",
        "The address to which the server posts mails for sending: HTTPS, or HTTP on this machine.")
    static let mailSecret = SettingKey(
        "mail.hook-secret", .text, "none",
        "The secret that signs these calls: whsec_ and base64. During a rotation, two secrets.", isSecret: true)
    static let mailSecretFile = SettingKey(
        "mail.hook-secret-file", .text, "none", "The file with that secret, instead of mail.hook-secret.")
    static let mailCommand = SettingKey(
        "mail.command", .list, "none",
        "The program that sends a message from its standard input, with its arguments: /usr/sbin/sendmail, -i, -t.")
    static let mailFrom = SettingKey("mail.from", .text, "none", "The sender of mails (the field From).")
    static let mailSite = SettingKey(
        "mail.site", .text, "the issuer without /auth/v1", "The address of your app or site, as mails show it.")
    static let mailRedirects = SettingKey(
        "mail.redirects", .list, "none",
        "Addresses to which links of mails may redirect, beside mail.site. An entry that ends in / allows every "
            + "address that begins with it.")
}
