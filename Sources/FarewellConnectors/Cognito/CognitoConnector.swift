// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Amazon Cognito user pools: every session ended, then the user deleted.
///
/// A pool sends no event when a user is deleted, so its turn is the plan's `identity`: rows and objects are erased
/// before. Settings: `region`, `pool`, `by` (`username` or `sub`), `mixed`, `endpoint`.
///
/// The evidence that the place is the right one is the pool's own answer: it reports an unknown user, while a missing
/// pool, or a key without the right, is another error. A pool also finds users by their aliases and without regard to
/// case; a user with another name than the subject's is another user. If the key may list users, those that there are
/// must have names, or a `sub`, of the form of the person's, unless there are several forms (`mixed: allowed`).
public struct CognitoConnector: Connector {
    let aws: AWSCaller
    private let pool: String
    private let isBySubject: Bool
    private let usernames: NamesInUse
    let withheld: WithheldValues
    public let declaration: ConnectorDeclaration

    /// - Throws: `plan.system` when the plan does not say what it must.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(system, of: .cognito)
        pool = try settings.required("pool")
        let region = try settings.required("region")
        isBySubject = try settings.word("by", of: ["username", "sub"]) == "sub"
        usernames = try NamesInUse(settings, world: world)
        declaration = try settings.paced(
            ConnectorDeclaration(
                abilities: [.count, .verify], budget: RateBudget(burst: 20, perSecond: 20),
                grants: [
                    .init(
                        (isBySubject ? [] : ["cognito-idp:AdminGetUser"]) + [
                            "cognito-idp:ListUsers", "cognito-idp:AdminUserGlobalSignOut",
                            "cognito-idp:AdminDeleteUser",
                        ], on: "arn:\(AWSPartition(region: region).name):cognito-idp:\(region):*:userpool/\(pool)")
                ],
                remarks: [
                    ReceiptNote(
                        about: "access tokens",
                        note: "If a service checks only the signature, a token stays valid for up to a day."),
                    ReceiptNote(
                        about: "identity pools",
                        note: "An identity that an identity pool made for the user was not looked for."),
                ]))
        withheld = WithheldValues(system.export)
        aws = try AWSCaller(
            settings, service: "cognito-idp", host: "cognito-idp.{region}.{suffix}", responses: .cognito,
            budget: declaration.budget, world: world)
    }

    public func prove() async throws -> String? {
        // An unknown user: the pool must say so itself.
        _ = try await users(["farewell-unused"])
        let evidence = "the pool \(pool) exists, and this key may read its users"
        guard !usernames.isMixed, try await someUsers() == nil else { return evidence }
        return evidence + "; without the right cognito-idp:ListUsers the form of the names is not compared"
    }

    /// Signs out and deletes a user who does not exist: the pool looks at the rights first.
    public func proveRights() async throws -> String? {
        let unused = aws.unusedName
        for operation in ["AdminUserGlobalSignOut", "AdminDeleteUser"] { _ = try await act(operation, on: unused) }
        return "it may end sessions and delete users"
    }

    public func count(_ request: ConnectorRequest) async throws -> Int? {
        let count = try await users(request.names).count
        if count == 0 { try await requireForm(of: request) }
        return count
    }

    public func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        var erased = 0
        try await request.eachName { name in
            for user in try await users([name]) {
                _ = try await act("AdminUserGlobalSignOut", on: user)
                if try await act("AdminDeleteUser", on: user) { erased += 1 }
            }
        }
        if erased == 0 { try await requireForm(of: request) }
        return erased > 0 ? .erased(erased) : .nothingThere
    }

    public func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        ConnectorReading(left: try await count(request) ?? 0)
    }

    /// The pool answers a deletion without a body.
    ///
    /// https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AdminDeleteUser.html
    ///
    /// - Returns: Whether there was such a user.
    private func act(_ operation: String, on user: String) async throws -> Bool {
        let answer = try await ask(operation, ["Username": .string(user)], content: .nothing)
        if case .value = answer { return true }
        return false
    }

    private func ask(
        _ operation: String, _ members: [String: JSONValue], content: AWSCaller.Content = .body
    ) async throws -> AWSCaller.Answer {
        var body = members
        body["UserPoolId"] = .string(pool)
        return try await aws.ask(
            "AWSCognitoIdentityProviderService.\(operation)", version: "1.1", body, content: content,
            permission: "cognito-idp:\(operation)", isAnswer: { $0 == .absent })
    }

    // MARK: The form of the names

    /// - Parameter request: Its users are missing.
    func requireForm(of request: ConnectorRequest) async throws {
        guard !usernames.isMixed else { return }
        try await usernames.require(request.names, request.record, someUsers)
    }

    /// Pages of users that are read at most until one has a user: a page may be empty although others follow.
    private static let pages = 5

    /// Names by which some users of the pool are found; `nil` if the key may not list them.
    ///
    /// https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_ListUsers.html
    private func someUsers() async throws -> NameSample? {
        let attributes: [JSONValue] = [.string("sub"), .string("email"), .string("phone_number")]
        var names: [String] = []
        var token: String?
        for _ in 1...Self.pages {
            var body: [String: JSONValue] = ["AttributesToGet": .array(attributes), "Limit": .integer(60)]
            if let token { body["PaginationToken"] = .string(token) }
            let answer: AWSCaller.Answer
            do {
                answer = try await ask("ListUsers", body)
            } catch let fault as ConnectorFault where fault.error.code == "connector.credentials" {
                return nil
            }
            guard case .value(let value) = answer, let users = value["Users"]?.elements else {
                throw ConnectorFault.garbled(aws.system, "no list of users")
            }
            names += users.flatMap { isBySubject ? Self.subjects(of: $0) : Self.names(of: $0) }
            guard names.isEmpty, let next = value["PaginationToken"]?.string,
                token?.isByteEqual(to: next) != true
            else { break }
            token = next
        }
        return NameSample(names: names)
    }

    private static func subjects(of user: RawJSON) -> [String] {
        (user["Attributes"]?.elements ?? []).filter { $0["Name"]?.string == "sub" }.compactMap { $0["Value"]?.string }
    }

    /// A user who signs in by an address or a number has the `sub` as user name, and is found by all of them.
    private static func names(of user: RawJSON) -> [String] {
        guard let name = user["Username"]?.string else { return [] }
        guard has(user, subject: name) else { return [name] }
        let others = user["Attributes"]?.elements?.filter { $0["Name"]?.string != "sub" } ?? []
        return [name] + others.compactMap { $0["Value"]?.string }
    }

    // MARK: The user in the pool

    /// The user names behind the subject's names, of existing users.
    private func users(_ names: [String]) async throws -> [String] {
        try await found(names).compactMap { $0["Username"]?.string }
    }

    /// The existing users behind the subject's names, as the pool describes them: each once, however many of the names
    /// are its own.
    func found(_ names: [String]) async throws -> [RawJSON] {
        var all: [RawJSON] = []
        var known: Set<ExactText> = []
        func add(_ user: RawJSON) {
            let name = user["Username"]?.string
            if name.map({ known.insert(ExactText($0)).inserted }) ?? true { all.append(user) }
        }
        for name in names {
            if isBySubject {
                let found = try await users(withSubject: name)
                if !found.isEmpty { usernames.sawSomething() }
                found.forEach(add)
            } else if case .value(let user) = try await ask("AdminGetUser", ["Username": .string(name)]) {
                guard let found = user["Username"]?.string else { throw ConnectorFault.garbled(aws.system, "no user") }
                guard found.isByteEqual(to: name) || Self.has(user["UserAttributes"], name) else {
                    throw ConnectorFault.refused(
                        aws.system, "it found a user with another name, by an alias or by other capitals",
                        remedy: "Use the pool's name of the person, or `by: sub`; then release the erasure.")
                }
                usernames.sawSomething()
                add(user)
            }
        }
        return all
    }

    /// Whether an attribute that names one user alone, and that the pool has checked or made, is exactly that.
    private static func has(_ attributes: RawJSON?, _ name: String) -> Bool {
        attributes?.elements?.contains { attribute in
            ["sub", "email", "phone_number"].contains(attribute["Name"]?.string ?? "")
                && attribute["Value"]?.string?.isByteEqual(to: name) == true
        } ?? false
    }

    private func users(withSubject subject: String) async throws -> [RawJSON] {
        // A filter is text: a character that could end the value early is part of no user's identifier.
        guard subject.utf8.allSatisfy(Self.isSubjectByte) else {
            throw ConnectorFault.unproved(aws.system, "the person's name is not a `sub` of a pool")
        }
        var all: [RawJSON] = []
        var seen: Set<ExactText> = []
        var token: String?
        repeat {
            var body: [String: JSONValue] = ["Filter": .string("sub = \"\(subject)\""), "Limit": .integer(2)]
            if let token { body["PaginationToken"] = .string(token) }
            let answer = try await ask("ListUsers", body)
            guard case .value(let value) = answer, let found = value["Users"]?.elements else {
                throw ConnectorFault.garbled(aws.system, "no list of users")
            }
            all += found.filter { Self.has($0, subject: subject) }
            // A page may be empty although others follow: the list ends with a page without a token.
            token = value["PaginationToken"]?.string
            if let token, !seen.insert(ExactText(token)).inserted {
                throw ConnectorFault.garbled(aws.system, "the same page of users again")
            }
        } while token != nil
        return all
    }

    private static func has(_ user: RawJSON, subject: String) -> Bool {
        user["Attributes"]?.elements?.contains {
            $0["Name"]?.string == "sub" && $0["Value"]?.string?.isByteEqual(to: subject) == true
        } ?? false
    }

    private static func isSubjectByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-")
    }
}
