"""Every product, comment and bug operation that python-bugzilla offers, through its REST backend.

Called with the URL of a Bugless that serves the demo, and the API key of a user who may do everything.
"""

import io
import sys
import tempfile
import unittest

import bugzilla
import requests

URL, ADMIN, DEV, FORMER = sys.argv[1:5]
BAD_KEY = "X" * 40


def connect(**kwargs):
    return bugzilla.Bugzilla(f"{URL}/rest", use_creds=False, **kwargs)


def status_of(work):
    """This client reads no error's code unless the status is 200: what it tells is the status."""
    try:
        work()
    except requests.HTTPError as error:
        return int(str(error).split()[0])
    return 200


class Connecting(unittest.TestCase):
    def test_finds_the_rest_interface_and_its_version(self):
        bz = connect(api_key=ADMIN)
        self.assertTrue(bz.is_rest())
        self.assertEqual((bz.bz_ver_major, bz.bz_ver_minor), (5, 2))

    def test_knows_whether_it_is_logged_in(self):
        self.assertTrue(connect(api_key=ADMIN).logged_in)
        self.assertEqual(status_of(lambda: connect().logged_in), 401)
        self.assertEqual(status_of(lambda: connect(api_key=BAD_KEY).logged_in), 400)
        self.assertEqual(status_of(lambda: connect(api_key=FORMER).logged_in), 401)

    def test_logs_in_with_an_api_key_as_password_and_out_again(self):
        bz = connect()
        bz.tokenfile = None
        self.assertEqual(bz.login("dev@bugless.example", DEV)["id"], 2)
        self.assertTrue(bz.logged_in)
        bz.logout()
        with self.assertRaises(bugzilla.BugzillaError):
            connect().login("dev@bugless.example", "wrong")


class Products(unittest.TestCase):
    def setUp(self):
        self.bz = connect(api_key=ADMIN)

    def test_lists_ids(self):
        self.assertEqual(connect().product_get(ptype="accessible", include_fields=["id"])[0], {"id": 1})
        names = [one["name"] for one in self.bz.product_get(ptype="enterable", include_fields=["name"])]
        self.assertIn("Vault", names)
        selectable = [one["name"] for one in connect().product_get(ptype="selectable", include_fields=["name"])]
        self.assertNotIn("Vault", selectable)

    def test_gets_products_by_id_and_name_together(self):
        found = self.bz.product_get(ids=[2], names=["telescope"], include_fields=["id", "name"])
        self.assertEqual(found, [{"id": 1, "name": "Telescope"}, {"id": 2, "name": "Vault"}])

    def test_refreshes_and_lists_products_with_components(self):
        products = self.bz.getproducts()
        self.assertEqual({one["name"] for one in products}, {one["name"] for one in self.bz.products})
        self.assertIn("Lens", self.bz.getcomponents("Telescope"))
        details = self.bz.getcomponentdetails("Telescope", "Lens")
        self.assertEqual(details["default_assigned_to"], "dev@bugless.example")


class Comments(unittest.TestCase):
    def setUp(self):
        self.bz = connect(api_key=ADMIN)

    def comments_of(self, bug):
        return self.bz.get_comments([bug])["bugs"][str(bug)]["comments"]

    def test_reads_a_bug_and_its_comments(self):
        bug = self.bz.getbug(1)
        self.assertEqual((bug.id, bug.product, bug.component), (1, "Telescope", "Lens"))
        self.assertEqual(bug.summary, "The moon is blurry at the edges")
        self.assertTrue(bug.is_open)
        self.assertEqual([one["count"] for one in bug.getcomments()], [0, 1, 2, 3])
        self.assertEqual(self.bz.getbug("blurry-moon").id, 1)

    def test_reads_several_bugs_and_leaves_out_what_is_not_there(self):
        self.assertEqual([bug.id for bug in self.bz.getbugs([1, 2])], [1, 2])
        self.assertEqual([bug.id for bug in self.bz.getbugs([1, 99999])], [1])

    def test_does_not_see_private_comments_without_the_right(self):
        anonymous = connect().get_comments([1])["bugs"]["1"]["comments"]
        self.assertEqual([one["count"] for one in anonymous], [0, 1, 3])

    def test_adds_comments(self):
        bug = self.bz.getbug(2)
        bug.addcomment("From python-bugzilla: größer, 日本")
        self.assertEqual(self.comments_of(2)[-1]["text"], "From python-bugzilla: größer, 日本")
        bug.addcomment("Only for insiders", private=True)
        self.assertTrue(self.comments_of(2)[-1]["is_private"])

    def test_adds_a_comment_with_hours_by_an_update(self):
        update = self.bz.build_update(comment="Worked", work_time=1.5)
        answer = self.bz.update_bugs([2, 6], update)
        self.assertEqual([one["id"] for one in answer["bugs"]], [2, 6])
        self.assertEqual(self.comments_of(6)[-1]["text"], "Worked")

    def test_is_told_what_cannot_be_changed(self):
        update = self.bz.build_update(comment="Done", status="VERIFIED")
        self.assertEqual(status_of(lambda: self.bz.update_bugs([2], update)), 400)

    def test_makes_a_bug(self):
        made = self.bz.createbug(
            self.bz.build_createbug(
                product="Telescope",
                component="Mount",
                summary="Squeaks",
                version="2.0",
                description="When it turns",
                alias="squeak",
                cc=["dev@bugless.example"],
            )
        )
        made = self.bz.getbug(made.id)
        self.assertEqual((made.product, made.summary, made.creator), ("Telescope", "Squeaks", "admin@bugless.example"))
        self.assertEqual(self.comments_of(made.id)[0]["text"], "When it turns")

    def test_gets_the_errors_of_bugzilla(self):
        self.assertEqual(status_of(lambda: connect().get_comments([3])), 401)
        self.assertEqual(status_of(lambda: self.bz.get_comments([99999])), 404)
        self.assertEqual(status_of(lambda: self.bz.get_comments(["no-such-alias"])), 400)
        self.assertEqual(status_of(lambda: connect().update_bugs([2], {"comment": {"comment": "x"}})), 401)


class Bugs(unittest.TestCase):
    def setUp(self):
        self.bz = connect(api_key=ADMIN)

    def found(self, bz=None, **criteria):
        bz = bz or self.bz
        return sorted(bug.id for bug in bz.query(bz.build_query(**criteria)))

    def make(self, summary, **more):
        return self.bz.createbug(
            self.bz.build_createbug(
                product="Telescope", component="Mount", summary=summary, version="2.0", description="d", **more
            )
        ).id

    def test_reads_a_bug_whole(self):
        bug = self.bz.getbug(1)
        self.assertEqual((bug.status, bug.priority, bug.severity), ("CONFIRMED", "High", "major"))
        self.assertEqual((bug.keywords, bug.target_milestone), (["regression"], "2.0"))
        self.assertEqual((bug.creator, bug.assigned_to), ("reporter@bugless.example", "dev@bugless.example"))
        self.assertIn("blurry", str(bug))

    def test_searches(self):
        self.assertEqual(self.found(product="Abacus"), [4])
        self.assertEqual(self.found(product="Abacus", status=["CONFIRMED", "IN_PROGRESS"]), [])
        self.assertEqual(self.found(product="Telescope", keywords="regression"), [1])
        self.assertEqual(self.found(cc="admin@bugless.example"), [1])
        self.assertEqual(self.found(reporter="guard@bugless.example"), [3])
        self.assertEqual(self.found(connect(), reporter="guard@bugless.example"), [])
        self.assertEqual(self.found(quicksearch="ALL product:Abacus"), [4])
        self.assertEqual(self.found(long_desc="spoon"), [3])
        self.assertEqual(self.found(short_desc="bead missing"), [4])
        self.assertEqual(self.found(status_whiteboard="optics"), [1])
        self.assertEqual(self.found(bug_id=[1, 4]), [1, 4])

    def test_searches_with_the_url_of_a_search_page(self):
        url = f"{URL}/buglist.cgi?product=Telescope&short_desc=moon&short_desc_type=allwordssubstr"
        self.assertEqual([bug.id for bug in self.bz.query(self.bz.url_to_query(url))], [1])

    def test_changes_fields(self):
        first, second = self.make("Wobbles"), self.make("Wobbles, too")
        update = self.bz.build_update(
            status="IN_PROGRESS",
            priority="Low",
            keywords_add="good-first-bug",
            cc_add="reporter@bugless.example",
            whiteboard="[soon]",
            depends_on_add=[2],
            comment="On it",
        )
        answer = self.bz.update_bugs([first, second], update)
        self.assertEqual([one["id"] for one in answer["bugs"]], [first, second])
        self.assertEqual(answer["bugs"][0]["changes"]["status"], {"removed": "CONFIRMED", "added": "IN_PROGRESS"})
        bug = self.bz.getbug(second)
        self.assertEqual((bug.priority, bug.keywords, bug.whiteboard), ("Low", ["good-first-bug"], "[soon]"))
        self.assertEqual((bug.cc, bug.depends_on), (["reporter@bugless.example"], [2]))
        self.assertEqual(bug.getcomments()[-1]["text"], "On it")

    def test_closes_a_bug_and_reads_its_history(self):
        bug = self.bz.getbug(self.make("Rattles"))
        update = self.bz.build_update(status="RESOLVED", resolution="FIXED", comment="Oiled")
        self.bz.update_bugs([bug.id], update)
        bug.refresh()
        self.assertEqual((bug.status, bug.resolution, bug.is_open), ("RESOLVED", "FIXED", False))
        [entry] = bug.get_history_raw()["bugs"][0]["history"]
        self.assertEqual(entry["who"], "admin@bugless.example")
        self.assertEqual({one["field_name"] for one in entry["changes"]}, {"status", "resolution"})

    def test_marks_a_duplicate(self):
        first, second = self.make("Hums"), self.make("Hums, too")
        bug = self.bz.getbug(second)
        self.bz.update_bugs([second], self.bz.build_update(dupe_of=first))
        bug.refresh()
        self.assertEqual((bug.resolution, bug.dupe_of), ("DUPLICATE", first))
        self.assertIn(str(second), self.bz.getbug(first).getcomments()[-1]["text"])

    def test_changes_people(self):
        bug = self.bz.getbug(self.make("Drifts"))
        bug.setassignee(assigned_to="guard@bugless.example")
        bug.addcc("dev@bugless.example")
        bug.deletecc("dev@bugless.example")
        bug.refresh()
        self.assertEqual((bug.assigned_to, bug.cc), ("guard@bugless.example", []))

    def test_lists_fields_and_attachments(self):
        self.assertIn("short_desc", self.bz.getbugfields())
        self.assertEqual(self.bz.getbug(3).get_attachments(), [])


class Attachments(unittest.TestCase):
    def setUp(self):
        self.bz = connect(api_key=ADMIN)
        given = {"product": "Telescope", "component": "Lens", "version": "2.0", "description": "d"}
        self.bug = self.bz.createbug(self.bz.build_createbug(summary="With files", **given)).id

    def test_attaches_a_file_and_opens_it(self):
        data = bytes(range(256)) * 4_000
        file = io.BytesIO(data)
        made = self.bz.attachfile(
            self.bug, file, "All bytes", file_name="bytes.bin", content_type="image/png", comment="See", is_private=True
        )
        with self.bz.openattachment(made) as opened:
            self.assertEqual((opened.read(), opened.name), (data, "bytes.bin"))
        (listed,) = [one for one in self.bz.getbug(self.bug).get_attachments() if one["id"] == made]
        self.assertEqual((listed["size"], listed["is_private"], listed["summary"]), (len(data), 1, "All bytes"))
        comment = self.bz.getbug(self.bug).getcomments()[-1]
        self.assertEqual((comment["attachment_id"], comment["is_private"]), (made, True))

    def test_attaches_a_file_to_several_bugs(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("text")
            file.flush()
            made = self.bz.attachfile([self.bug, 4], file.name, "Text")
        self.assertEqual(len(made), 2)
        found = self.bz.get_attachments(None, made)["attachments"]
        self.assertEqual({one["bug_id"] for one in found.values()}, {self.bug, 4})
        self.assertEqual({one["content_type"] for one in found.values()}, {"text/plain"})

    def test_sets_the_flags_of_an_attachment(self):
        made = self.bz.attachfile(self.bug, io.BytesIO(b"diff"), "Patch", file_name="a.patch", is_patch=True)
        self.bz.updateattachmentflags(self.bug, made, "review", status="?", requestee="dev@bugless.example")
        (flag,) = self.bz.get_attachments(None, made)["attachments"][str(made)]["flags"]
        self.assertEqual((flag["name"], flag["status"], flag["requestee"]), ("review", "?", "dev@bugless.example"))


class Flags(unittest.TestCase):
    def test_are_set_read_and_cleared(self):
        bug = connect(api_key=ADMIN).getbug(1)
        bug.updateflags({"needinfo": "?", "blocker": "+"})
        bug.refresh()
        self.assertEqual((bug.get_flag_status("needinfo"), bug.get_flag_status("blocker")), ("?", "+"))
        self.assertEqual(bug.get_flags("blocker")[0]["setter"], "admin@bugless.example")
        bug.updateflags({"needinfo": "X", "blocker": "X"})
        bug.refresh()
        self.assertIsNone(bug.get_flags("needinfo"))

    def test_are_searched(self):
        bz = connect(api_key=ADMIN)
        query = bz.build_query(flag="needinfo?", include_fields=["id"])
        self.assertEqual([bug.id for bug in bz.query(query)], [2])


class CustomFields(unittest.TestCase):
    def test_are_changed_read_and_searched(self):
        bz = connect(api_key=ADMIN)
        bz.update_bugs([4], {"cf_build": "0815"})
        self.assertEqual(bz.getbug(4).cf_build, "0815")
        query = {**bz.build_query(product="Abacus", include_fields=["id", "cf_build"]), "cf_build": "0815"}
        self.assertEqual([(bug.id, bug.cf_build) for bug in bz.query(query)], [(4, "0815")])
        self.assertIn("cf_build", bz.getbugfields())

    def test_are_given_for_a_new_bug(self):
        bz = connect(api_key=ADMIN)
        given = bz.build_createbug(
            product="Telescope", component="Lens", version="2.0", summary="Custom", description="d"
        )
        made = bz.createbug({**given, "cf_build": "1"})
        self.assertEqual(bz.getbug(made.id).cf_build, "1")


class Users(unittest.TestCase):
    def test_looks_users_up(self):
        user = connect(api_key=ADMIN).getuser("dev@bugless.example")
        self.assertEqual((user.userid, user.email, user.real_name), (2, "dev@bugless.example", "Dev Developer"))

    def test_searches_users(self):
        found = connect(api_key=ADMIN).searchusers("devel")
        self.assertEqual([user.email for user in found], ["dev@bugless.example"])


unittest.main(argv=["python_bugzilla"], verbosity=2, warnings="ignore")
