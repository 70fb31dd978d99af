// SPDX-License-Identifier: Apache-2.0

import FarewellErasure

/// Whether users may download their data, and the limits of an export.
public struct ExportSettings: Sendable, Hashable {
    /// Whether exports are offered. Not until operators say so: the plan must name the columns that stay inside first.
    public var offering = PageSettings.Offering.none
    /// Bytes that the files of one export have at most.
    public var bytes = 1 << 30
    /// Bytes of all exports that one server keeps.
    public var totalBytes = 10 << 30
    /// Seconds from the end of an export to its removal.
    public var life = 3_600

    public init() {}

    var rules: ExportRules {
        var rules = ExportRules()
        rules.bytes = bytes
        rules.totalBytes = totalBytes
        rules.life = life
        return rules
    }
}

@available(macOS 15, iOS 18, *)
extension ExportSettings {
    mutating func take(_ reader: SettingsReader) throws {
        offering = try reader.text(.exportOffering).flatMap(PageSettings.Offering.init(rawValue:)) ?? offering
        bytes = try reader.number(.exportBytes) ?? bytes
        totalBytes = try reader.number(.exportTotalBytes) ?? totalBytes
        life = try reader.number(.exportLife) ?? life
    }
}

/// The settings of exports.
extension SettingKey {
    static let export: [SettingKey] = [exportOffering, exportBytes, exportTotalBytes, exportLife, exportPerDay]

    static let exportOffering = SettingKey(
        "export.offering", .oneOf(["on", "off"]), "off", "Whether users may download their data (docs/export.md).")
    static let exportBytes = SettingKey(
        "export.bytes", .number(1_024...1 << 40), "1073741824",
        "The most bytes in one export's files; a larger one fails. While it is written, the disk needs twice as many.")
    static let exportTotalBytes = SettingKey(
        "export.total-bytes", .number(1_024...1 << 50), "10737418240",
        "The most bytes of all exports at a server. One that is being written counts as export.bytes; others wait for "
            + "it. If the finished ones leave no room: 503.")
    static let exportLife = SettingKey(
        "export.life", .number(1...604_800), "3600", "How long a finished export can be downloaded, in seconds.")
    static let exportPerDay = SettingKey(
        "export.per-day", .number(1...1_000), "5",
        "The most exports of one user in a day at one server. Further ones are answered 429.")
}
