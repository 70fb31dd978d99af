// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

@Suite("Names of another form than those that a service has", .contracts)
struct NamesInUseTests {
    /// The errors of counting, erasing, reading back and exporting.
    private func ends(_ connector: any Connector, _ request: ConnectorRequest) async -> [FarewellError?] {
        [
            await fault { _ = try await connector.count(request) },
            await fault {
                let answer = try await connector.erase(request)
                #expect(answer == .nothingThere)
            },
            await fault {
                let reading = try await connector.verify(request)
                #expect(reading == .gone)
            },
            await fault {
                let sink = CollectingSink()
                try await (connector as? any ReadingConnector)?.read(request, into: sink)
                #expect(sink.items.isEmpty)
            },
        ]
    }

    private func isRefused(_ error: FarewellError?) -> Bool {
        error?.code == "connector.refused" && error?.message.contains("no evidence") == true
            && error?.remedy?.contains("`person`") == true && error?.remedy?.contains("`mixed: allowed`") == true
    }

    @Test(
        "SY-1 SYS-13 a name of another form than all names that the service has parks the erasure",
        arguments: NamingService.all)
    func otherForm(_ naming: NamingService) async throws {
        for name in naming.others {
            let service = naming.service(of: naming.names)
            for record in [PlaceRecord.nothing, .dataOfOthers] {
                var request = ConnectorRequest(key: "k", names: [name])
                request.record = record
                for error in await ends(try naming.connector(service), request) {
                    #expect(isRefused(error) && error?.description.contains(name) == false, "\(name): \(error as Any)")
                }
            }
            #expect(service.sent.contains(where: naming.lists))
        }
    }

    @Test(
        "SY-1 SYS-13 a name of the same form that the service does not have counts as nothing there",
        arguments: NamingService.all)
    func sameForm(_ naming: NamingService) async throws {
        let service = naming.service(of: naming.names)
        for names in [[naming.unknown], [naming.others[0], naming.unknown]] {
            let request = ConnectorRequest(key: "k", names: names)
            // Stripe erases one customer after the other.
            guard names.count == 1 || naming.kind != "stripe" else { continue }
            for error in await ends(try naming.connector(service), request) { #expect(error == nil) }
        }
        #expect(service.sent.contains(where: naming.lists))
    }

    @Test(
        "SY-1 SYS-13 other names count where the plan says that there are several forms, or an erasure found the person",
        arguments: NamingService.all)
    func allowed(_ naming: NamingService) async throws {
        let service = naming.service(of: naming.names)
        var request = ConnectorRequest(key: "k", names: [naming.others[0]])
        for error in await ends(try naming.connector(service, ["mixed": "allowed"]), request) { #expect(error == nil) }
        request.record = .dataOfSubject
        for error in await ends(try naming.connector(service), request) { #expect(error == nil) }
        #expect(throws: FarewellError.self) { try naming.connector(service, ["mixed": "yes"]) }
    }

    @Test(
        "SY-1 SYS-13 once a person was found by name, no list is read, and no other name objects",
        arguments: NamingService.all)
    func seen(_ naming: NamingService) async throws {
        let service = naming.service(of: naming.names)
        let connector = try naming.connector(service)
        let request = ConnectorRequest(key: "k", names: [naming.names[0]])
        #expect(try await connector.count(request) == 1)
        #expect(try await connector.erase(request) == .erased(1))
        #expect(try await connector.verify(request) == .gone)
        for error in await ends(connector, .init(key: "k", names: [naming.others[0]])) { #expect(error == nil) }
        #expect(!service.sent.contains(where: naming.lists))
    }

    @Test("SY-1 SYS-13 the list of names is read once a minute at most, and each person's name is compared with it")
    func onceAMinute() async throws {
        let naming = NamingService.revenueCat
        let service = naming.service(of: naming.names)
        let time = Guarded(0.0)
        var world = ConnectorWorld.hurried(service, environment: ["KEY": "k"])
        world.uptime = { time.withLock { $0 } }
        var system = SystemPlan(name: "it", kind: naming.kind, settings: naming.settings)
        system.secrets = ["key": .environment("KEY")]
        let connector = try RevenueCatConnector(system, world: world)
        for _ in 0...1 {
            for (name, isAccepted) in [(naming.others[0], false), (naming.unknown, true), (naming.others[1], false)] {
                let error = await fault { _ = try await connector.count(.init(key: "k", names: [name])) }
                #expect(isAccepted ? error == nil : isRefused(error), "\(name): \(String(describing: error))")
            }
            time.withLock { $0 += 61 }
        }
        #expect(service.sent.count(where: naming.lists) == 2)
    }

    @Test("SY-1 SYS-13 a service without people, or with anonymous customers alone, objects to no name")
    func noPeople() async throws {
        for naming in NamingService.all where naming.kind != "stripe" {
            let service = naming.service(of: [])
            for error in await ends(try naming.connector(service), .init(key: "k", names: ["42"])) {
                #expect(error == nil, "\(naming.kind)")
            }
        }
    }

    @Test("SY-1 SYS-13 names are compared also where the first page has anonymous customers alone, or no user")
    func laterPage() async throws {
        let next = #""/v2/projects/p/customers?starting_after=a""#
        let anonymous = SystemReply.json(
            200, #"{"object":"list","items":[{"id":"$RCAnonymousID:0c6f"}],"next_page":\#(next)}"#)
        let empty = SystemReply.json(200, #"{"Users":[],"PaginationToken":"a"}"#)
        for (naming, first) in [(NamingService.revenueCat, anonymous), (NamingService.cognito, empty)] {
            let service = AnsweringService { call in
                guard naming.lists(call) else { return naming.answer(call, nil) }
                let isNext =
                    call.query.contains { $0.name == "starting_after" }
                    || String(decoding: call.body, as: UTF8.self).contains("PaginationToken")
                return isNext ? naming.list(naming.names) : first
            }
            for error in await ends(try naming.connector(service), .init(key: "k", names: ["42"])) {
                #expect(isRefused(error), "\(naming.kind): \(String(describing: error))")
            }
        }
    }

    @Test("SY-1 SYS-13 a project in which page after page has anonymous customers alone objects to no name")
    func anonymousAlone() async throws {
        let naming = NamingService.revenueCat
        let pages = Guarded(0)
        let service = AnsweringService { call in
            guard naming.lists(call) else { return naming.answer(call, nil) }
            let page = pages.withLock {
                $0 += 1
                return $0
            }
            let next = #""/v2/projects/p/customers?starting_after=\#(page)""#
            return .json(200, #"{"object":"list","items":[{"id":"$RCAnonymousID:\#(page)"}],"next_page":\#(next)}"#)
        }
        #expect(try await naming.connector(service).count(.init(key: "k", names: ["42"])) == 0)
        #expect(pages.withLock { $0 } == 5)
    }

    @Test("SY-1 SYS-13 RevenueCat: an anonymous name is one of the SDK's, whatever names the app gives")
    func anonymous() async throws {
        let naming = NamingService.revenueCat
        let request = ConnectorRequest(key: "k", names: ["$RCAnonymousID:0c6f6b1d2e3f4a5b87c1ba7c2dcf4e4d"])
        for error in await ends(try naming.connector(naming.service(of: naming.names)), request) { #expect(error == nil) }
    }

    // MARK: Cognito

    @Test("SY-1 SYS-13 Cognito: a key that may not list users compares no names, and doctor reports that")
    func unlisted() async throws {
        let naming = NamingService.cognito
        let denied = SystemReply.json(400, #"{"__type":"com.amazon.coral.service#AccessDeniedException"}"#)
        let service = AnsweringService { naming.lists($0) ? denied : naming.answer($0, nil) }
        let connector = try naming.connector(service)
        for error in await ends(connector, .init(key: "k", names: ["42"])) { #expect(error == nil) }
        #expect(try await connector.prove()?.contains("cognito-idp:ListUsers") == true)
        let able = try naming.connector(naming.service(of: naming.names))
        #expect(try await able.prove()?.contains("cognito-idp:ListUsers") == false)
        #expect(able.declaration.grants.contains { $0.actions.contains("cognito-idp:ListUsers") })
    }

    @Test("SY-1 SYS-13 Cognito: where the pool made the user names, addresses and numbers of its users are names, too")
    func addresses() async throws {
        let naming = NamingService.cognito
        for (username, isAccepted) in [(NamingService.revenueCat.names[0], true), ("ada", false)] {
            let attributes = [("sub", NamingService.revenueCat.names[0]), ("email", "ada@example.org")]
                .map { #"{"Name":"\#($0.0)","Value":"\#($0.1)"}"# }.joined(separator: ",")
            let list = SystemReply.json(200, #"{"Users":[{"Username":"\#(username)","Attributes":[\#(attributes)]}]}"#)
            let service = AnsweringService { naming.lists($0) ? list : naming.answer($0, nil) }
            for error in await ends(try naming.connector(service), .init(key: "k", names: ["eve@example.org"])) {
                #expect(isAccepted ? error == nil : isRefused(error), "\(username): \(String(describing: error))")
            }
        }
    }
}
