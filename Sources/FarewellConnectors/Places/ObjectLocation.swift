// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The place of a subject's objects in a bucket.
enum ObjectLocation: Sendable {
    /// Below a prefix that contains the subject's name.
    case prefix(before: String, after: String)
    /// The subject's names are the objects' names themselves.
    case exact

    /// From the settings `prefix` and `keys`.
    ///
    /// - Throws: `plan.system` when neither is valid, or the prefix could reach another user's objects.
    init(_ settings: SystemSettings) throws {
        if settings["keys"] == nil {
            let (before, after) = try settings.prefix()
            self = .prefix(before: before, after: after)
        } else {
            _ = try settings.word("keys", of: ["exact"])
            self = .exact
        }
    }

    /// The beginning of the names of all objects.
    var beginning: String {
        if case .prefix(let before, _) = self { before } else { "" }
    }

    /// For the operator, where no object of any user is: the prefix may be a mistake.
    var doubt: String {
        beginning.isEmpty ? "; it is empty" : "; nothing is below \(beginning), so check the setting prefix"
    }

    /// The names of the place, as far as these names of objects and folders show them.
    func sample(of objects: [String], isWhole: Bool) -> NameSample {
        var sample = NameSample(isWhole: isWhole)
        guard case .prefix(let before, _) = self else {
            sample.names = objects
            return sample
        }
        for object in objects where object.hasBytePrefix(before) {
            let rest = object.droppingBytes(before.utf8.count)
            let name = rest.slashParts[0]
            if rest.isEmpty {
                sample.isThere = true
            } else if name.isEmpty || name.utf8.count == rest.utf8.count {
                sample.hasOthers = true
            } else if sample.names.last?.isByteEqual(to: name) != true {
                sample.names.append(name)
            }
        }
        return sample
    }

    /// The part of the prefix behind the person's name; `nil` if only a slash is there.
    var end: String? {
        if case .prefix(_, let after) = self, after.utf8.count > 1 { after } else { nil }
    }

    /// Whether an object is where the prefix leads for some name.
    func leads(to object: String) -> Bool {
        guard let end, object.hasBytePrefix(beginning) else { return false }
        let rest = object.droppingBytes(beginning.utf8.count)
        let name = rest.slashParts[0]
        return !name.isEmpty && rest.droppingBytes(name.utf8.count).hasBytePrefix(end)
    }

    /// The sign up to which objects are listed as one: folders of persons.
    var delimiter: String? { isExact ? nil : "/" }

    /// For the operator, where the bucket has objects and the place has none.
    var emptiness: String {
        isExact ? "the bucket is empty" : "nothing is below the beginning of the prefix, and the bucket is not empty"
    }

    /// The setting that says where the subject's objects are.
    var setting: String { isExact ? "keys" : "prefix" }

    var isExact: Bool {
        if case .exact = self { true } else { false }
    }

    /// The beginning of the names of the subject's objects. A name with a slash would lead to the folder of another
    /// user, whose name is the part before the slash.
    func prefix(of name: String, in system: String) throws -> String {
        switch self {
        case .exact:
            guard !name.isAddressOfObject else {
                throw ConnectorFault.unproved(
                    system, "the object's name is an address, not its name in the bucket",
                    remedy: "Name a column with the objects' names in `person`; then release the erasure.")
            }
            return name
        case .prefix(let before, let after):
            guard !name.containsByte(of: "/") else {
                throw ConnectorFault.refused(system, "the person's name there contains a slash")
            }
            return before + name + after
        }
    }
}
