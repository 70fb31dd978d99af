// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// The errors of `exportData`. An old sign-in is `device.recent-sign-in-needed`, as for a deletion.
extension FarewellError {
    /// The server offers no exports.
    public static let exportsOff = FarewellError(
        "device.exports-off", .yoursToFix, "The server offers no exports.",
        remedy: "Set export.offering: on at the server, or hide the button.")
    /// The user has another export, which `resumeExport` downloads.
    public static let exportLive = FarewellError(
        "device.export-live", .yoursToFix, "The user already has an export.", remedy: "Call resumeExport.")
    /// The user has requested as many exports as the server allows for now.
    public static let exportLimit = FarewellError(
        "device.export-limit", .tryAgain, "The server accepts no more exports of this user now.",
        remedy: "Try again tomorrow.")
    /// The server has no room for one more export now.
    public static let exportBusy = FarewellError(
        "device.export-busy", .tryAgain, "The server accepts no exports at present.", remedy: "Try again later.")
    /// The account is being erased.
    public static let exportErasing = FarewellError(
        "device.export-erasing", .yoursToFix, "The account is being erased, and can no longer be exported.")
    /// The export has expired or was removed.
    public static let exportGone = FarewellError(
        "device.export-gone", .yoursToFix, "The export no longer exists.", remedy: "Request another one.")
    /// The database has no data of this user.
    public static let exportNothing = FarewellError(
        "device.export-nothing", .yoursToFix, "The server has no data of this user.")
    /// The export is larger than the server allows.
    public static let exportTooLarge = FarewellError(
        "device.export-too-large", .yoursToFix, "The export is larger than the server allows.",
        remedy: "Let the operator raise export.bytes or run farewell export.")
    /// The server could not write the export.
    public static let exportFailed = FarewellError(
        "device.export-failed", .tryAgain, "The server could not write the export.", remedy: "Request another one.")
    /// The transfer ended early.
    public static let exportIncomplete = FarewellError(
        "device.export-incomplete", .tryAgain, "The archive did not arrive completely.", remedy: "Call resumeExport.")
    /// The provider has no exports, or the device has no folder for them.
    public static let exportsUnsupported = FarewellError(
        "device.exports-unsupported", .yoursToFix, "This device cannot download exports.",
        remedy: "Use FarewellProvider, and give FarewellDevice a DataExportFolder among its participants.")
}
