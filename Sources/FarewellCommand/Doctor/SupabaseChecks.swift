// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellErasure
import FarewellPlan
import FarewellSQL
import FarewellServer
import Foundation

/// Whether each step of docs/adopting/supabase.md is done: the part of `farewell doctor --supabase`.
struct SupabaseChecks {
    typealias Fact = DatabaseHealth.Fact

    let schema: Schema
    /// nil if there is none yet.
    let plan: Plan?
    let settings: ServeSettings
    let world: ConnectorWorld

    static let guide = "See docs/adopting/supabase.md."

    func facts() async -> [Fact] {
        var facts = [project] + planned + served
        let projects: [SupabaseProject]
        do {
            projects = try settings.erasures.supabaseProjects()
        } catch {
            let known = error as? FarewellError
            let words = known?.message ?? "The issuers cannot be read."
            return facts + [.init("tokens", .bad, words, remedy: known?.remedy)]
        }
        guard let project = projects.first else {
            return facts + [
                .init(
                    "tokens", .bad, "erasures.issuers names no Supabase project, so no token is accepted",
                    remedy: "Set FAREWELL_ERASURES_ISSUERS=\"supabase https://….supabase.co\".")
            ]
        }
        facts.append(await tokens(of: project))
        facts += keys(of: project)
        facts.append(await server())
        for name in ["delete-account", "delete-user"] { facts.append(await function(name, of: project)) }
        return facts
    }

    // MARK: Database and plan

    private static let users = TableName(schema: "auth", "users")
    private static let objects = TableName(schema: "storage", "objects")

    private var project: Fact {
        guard schema[Self.users] != nil, schema[TableName(schema: "auth", "schema_migrations")] != nil else {
            return .init(
                "project", .bad, "this is not the database of a Supabase project: it has no table auth.users",
                remedy: "Set FAREWELL_DATABASE_URL to the session pooler's or the direct address of the project.")
        }
        return .init("project", .good, "the database of a Supabase project")
    }

    private var planned: [Fact] {
        guard let plan else { return [] }
        var facts: [Fact] = []
        if plan.subject.table != Self.users {
            facts.append(
                .init(
                    "subject", .bad, "the plan's subject table is \(plan.subject.table); tokens contain auth.users.id",
                    remedy: "Run farewell init --subject auth.users.id."))
        }
        if let files = plan.tables.first(where: { $0.table == Self.objects }), files.rule.erasesRows {
            facts.append(
                .init(
                    "files", .bad, "the plan deletes rows of storage.objects by SQL, which Supabase refuses",
                    remedy: "Draft the plan again with farewell init: the Storage API must delete files."))
        }
        return facts
    }

    private var served: [Fact] {
        var missing: [String] = []
        if settings.erasures.plan == nil { missing.append("FAREWELL_ERASURES_PLAN") }
        if settings.erasures.database == nil { missing.append("FAREWELL_ERASURES_DATABASE_URL") }
        guard missing.isEmpty else {
            return [
                .init(
                    "settings", .bad, "the server's settings name no plan or no database",
                    remedy: "Set \(missing.joined(separator: " and ")).")
            ]
        }
        return [.init("settings", .good, "the server has a plan and the address of its database")]
    }

    // MARK: Tokens and keys

    private func tokens(of project: SupabaseProject) async -> Fact {
        let name = "tokens"
        guard let reply = await ask("GET", project.keys), reply.status == 200,
            let keys = (try? StrictJSON.value(reply.body))?["keys"]?.array
        else {
            return .init(
                name, .bad, "the project's keys could not be fetched from \(project.keys)",
                remedy: "Check the project's address in erasures.issuers.")
        }
        let algorithms = Set(keys.compactMap { $0["alg"]?.string }).intersection(["ES256", "RS256"])
        let published = "the project's keys (\(algorithms.sorted().joined(separator: ", ")))"
        switch (algorithms.isEmpty, project.hasSecret) {
        case (true, false):
            return .init(
                name, .bad, "the project publishes no keys: it signs with its legacy JWT secret, which is not set",
                remedy: "Put the secret into a file (mode 600) and name it in FAREWELL_ERASURES_ISSUER_SECRET_FILE.")
        case (true, true):
            return .init(name, .good, "accepted by the legacy JWT secret (HS256); the project publishes no keys yet")
        case (false, false):
            return .init(name, .good, "accepted by \(published), not by a legacy secret")
        case (false, true):
            return .init(name, .good, "accepted by \(published) and its legacy secret")
        }
    }

    /// The keys of the plan's systems beside the address and the secret.
    private func keys(of project: SupabaseProject) -> [Fact] {
        let systems = (plan?.systems ?? []).filter { $0.kind.hasPrefix("supabase-") }
        guard !systems.isEmpty else { return [] }
        var facts: [Fact] = []
        for system in systems {
            guard let endpoint = system.settings["endpoint"], !endpoint.utf8.starts(with: project.address.utf8) else {
                continue
            }
            let words = "its address differs from the project's in erasures.issuers"
            facts.append(.init("system \(system.name)", .warning, words))
        }
        let given = systems.compactMap { try? SystemSecrets($0, world: world).given("key") }
        if given.contains(where: { project.secretSigned($0) == false }) {
            facts.append(
                .init(
                    "secret", .bad, "the JWT secret is not the one that signed the project's service_role key",
                    remedy: "Copy the legacy JWT secret of this project (JWT Keys in its settings)."))
        }
        return facts
    }

    // MARK: Server and functions

    private func server() async -> Fact {
        let address = settings.publicAddress
        guard let reply = await ask("GET", address + "/readyz") else {
            return .init(
                "server", .bad, "no server answers at \(address)",
                remedy: "Run farewell serve, and set FAREWELL_TOKENS_ISSUER to its public address.")
        }
        guard reply.status == 200 else {
            return .init("server", .bad, "answers at \(address), but is not ready", remedy: "See its log.")
        }
        let refused = await ask("POST", address + "/functions/v1/delete-account")
        guard refused?.status == 401 else {
            return .init(
                "server", .bad, "the server at \(address) accepts no erasures", remedy: "Set FAREWELL_ERASURES_PLAN.")
        }
        return .init("server", .good, "accepts erasures at \(address)")
    }

    /// An invalid token reaches the server through the function, and the server's refusal is returned.
    private func function(_ name: String, of project: SupabaseProject) async -> Fact {
        let title = "function \(name)"
        let address = project.address + "/functions/v1/\(name)"
        let deploy = "supabase functions deploy \(name) --no-verify-jwt"
        guard let reply = await ask("POST", address, [("Authorization", "Bearer farewell.doctor.asks")]) else {
            return .init(title, .bad, "no function answers at \(address)", remedy: "Deploy it: \(deploy).")
        }
        let code = (try? StrictJSON.value(reply.body))?["error"]?["code"]?.string ?? ""
        switch (reply.status, code) {
        case (404, _): return .init(title, .bad, "does not exist", remedy: "Deploy it: \(deploy).")
        case (401, "token.malformed"), (401, "bad_jwt"), (401, "token.issuer"):
            return .init(title, .good, "reaches the server")
        case (401, ""):
            return .init(
                title, .bad, "the platform checks the token itself and does not know the newer keys",
                remedy: "Deploy it: \(deploy).")
        case (500, "not_set_up"):
            return .init(
                title, .bad, "does not know the server's address",
                remedy: "supabase secrets set FAREWELL_URL=\(settings.publicAddress)")
        case (500..., ""):
            return .init(
                title, .bad, "the platform answers \(reply.status) instead of the function",
                remedy: "See the function's log. Deploy it again, with the folder _shared beside it: \(deploy).")
        case (502, _), (503, _), (504, _):
            return .init(
                title, .bad, "does not reach the server",
                remedy: "Check FAREWELL_URL among the project's secrets: the platform must reach it over HTTPS.")
        default:
            return .init(title, .bad, "answers \(reply.status), unlike Farewell's function", remedy: Self.guide)
        }
    }

    private func ask(
        _ method: String, _ url: String, _ headers: [(name: String, value: String)] = []
    ) async -> SystemReply? {
        guard let address = try? SystemAddress(url, system: "doctor") else { return nil }
        // Everything that it says is for this look; no status is a fault.
        let call = SystemCall(
            method, address, address.base, headers: headers, answers: Set(200...599), permission: "none")
        return try? await world.http.send(call)
    }
}
