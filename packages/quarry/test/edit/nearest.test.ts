import assert from "node:assert/strict";
import { test } from "node:test";
import { explainAbsence } from "#src/files/edit-nearest.js";

const FILE = [
  "import os", // 1
  "", // 2
  "def handler(event):", // 3
  "\tname = event['name']", // 4
  '\tprint("a\\nb")', // 5
  "\treturn  name ", // 6
  "", // 7
  "class Service:", // 8
  "    def start(self):", // 9
  "        return “ready”", // 10
  "",
].join("\n");

const CASES: readonly (readonly [what: string, old: string, says: RegExp])[] = [
  [
    "tabs and spaces",
    "    name = event['name']",
    /^The nearest line is 4, which differs in indentation \(1 tab in the file, 4 spaces in old_str\): the file has "\\tname = event\['name'\]", old_str has "    name/,
  ],
  [
    "blanks at the end",
    "\treturn  name  \n\nclass",
    /^The nearest line is 6, which differs in blanks at the end of the line/,
  ],
  ["blanks inside", "\treturn name ", /^The nearest line is 6, which differs in the kind or number of blanks inside/],
  ["quotes", 'return "ready"', /^The nearest line is 10, which differs in quotes/],
  ["letter case", "class service:", /^The nearest line is 8, which differs in letter case/],
  [
    "two things at once",
    "class service: \n    def start",
    /^The nearest line is 8, which differs in blanks at the end of the line and letter case/,
  ],
  [
    "a line later on",
    "class Service:\n    def start(me):\n",
    /^Its first line stands at line 8\. The nearest line is 9, which differs from column 15 on/,
  ],
  [
    "line numbers",
    "8\tclass Service:\n9\t    def start(self):",
    /^old_str holds the line numbers of the display, which are not in the file; without that it would be found at line 8\.$/,
  ],
  [
    "a line break for a backslash and n",
    'print("a\nb")',
    /^old_str holds a line break where the file has a backslash and an n; .* at line 5\.$/,
  ],
  [
    "a backslash and n for a line break",
    "import os\\n\\ndef",
    /^old_str holds a backslash and a letter .* at line 1\.$/,
  ],
  ["CR LF in old_str", "import os\r\n\r\ndef", /^old_str ends its lines with CR LF/],
  ["an empty line too many", "\n\nclass Service:\n\n", /^old_str begins or ends with an empty line/],
  ["something like it", "def handle_event(evt):", /^The nearest line is 3, which differs from column 11 on/],
  ["nothing like it", "zzzz qqqq xxxx", /^No line of the file is close to it\.$/],
];
for (const [what, old, says] of CASES) test(`fault-44: ${what}`, () => assert.match(explainAbsence(FILE, old), says));

test("fault-44: the end of the file, and an empty file", () => {
  assert.match(explainAbsence("one line here\n", "one line here\n\nmore of it"), /^Its first /);
  assert.equal(explainAbsence("", "x"), "The file is empty.");
});

test("fault-44: bytes that are not text are named", () => {
  assert.match(explainAbsence("caf\ufffd au lait\n", "café au lait"), /bytes that are not valid text/);
});

test("a large file is explained in bounded time", () => {
  const text = Array.from({ length: 200_000 }, (_, i) => `line ${i} of something rather long and rather dull`).join(
    "\n",
  );
  const old = Array.from({ length: 200 }, (_, i) => `line ${i} of something rather Long and rather dull`).join("\n");
  const started = performance.now();
  assert.match(explainAbsence(text, old), /^The nearest line is 1, which differs in letter case/);
  assert.ok(performance.now() - started < 5_000);
});
