// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The photo files that `muse` profiles name, two for each user: `<folder>/<user id>/1.jpg` and `2.jpg`.
///
/// Beside the folder of the example user is one whose name only begins the same: it belongs to no user, and must
/// outlive the erasure.
public struct SamplePhotos: Sendable, Hashable {
    public let people: SamplePeople
    public let folder: String

    /// - Throws: `sample.no-photos` when the profile is not `muse`.
    public init(of people: SamplePeople, in folder: String) throws {
        guard people.profile == .muse else {
            throw FarewellError("sample.no-photos", .yoursToFix, "Only the profile muse has photos.")
        }
        self.people = people
        self.folder = folder
    }

    /// The folder whose name begins with the key of the example user, relative to `folder`.
    public var sibling: String { people.subjectKey(at: people.exampleIndex) + "0" }

    /// Writes the files and says how many.
    ///
    /// - Throws: `sample.photos-failed` when a file cannot be written.
    @discardableResult
    public func make() throws -> Int {
        do {
            for index in 0..<people.people {
                try write(["1.jpg", "2.jpg"], to: people.subjectKey(at: index))
            }
            try write(["1.jpg"], to: sibling)
        } catch {
            throw FarewellError(
                "sample.photos-failed", .yoursToFix, "The photos cannot be written below \(folder).",
                remedy: "Give a writable folder.")
        }
        return people.people * 2 + 1
    }

    private func write(_ files: [String], to owner: String) throws {
        let path = "\(folder)/\(owner)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for file in files {
            try Self.picture("\(owner)/\(file)").write(to: URL(fileURLWithPath: "\(path)/\(file)"))
        }
    }

    /// The first and last bytes of a JPEG file with one comment between (ITU-T T.81, B.2.4.5).
    private static func picture(_ comment: String) -> Data {
        let length = comment.utf8.count + 2
        return Data([0xFF, 0xD8, 0xFF, 0xFE, UInt8(length >> 8), UInt8(length & 255)])
            + Data(comment.utf8) + Data([0xFF, 0xD9])
    }
}
