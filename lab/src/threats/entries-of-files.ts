import type { ThreatEntry } from './threat-entry.ts'

/** Files of days and the manifests that sign them. */
export const ENTRIES_OF_FILES: readonly ThreatEntry[] = [
  {
    id: 'T7',
    defence: 'The file of a day needs a tier with tabular formats.',
    removal: {
      file: 'service/src/endpoints/files/download-file.ts',
      text: "request.require('tabular_formats')",
      replacement: '',
    },
    test: { file: 'service/test/files/download-file.test.ts', name: 'a tier without files' },
  },
  {
    id: 'T8',
    defence: 'A range of a file is paid like the whole file.',
    removal: {
      file: 'service/src/endpoints/files/download-file.ts',
      text: 'const credits = creditsOf(file.rows)',
      replacement: 'const credits = 0',
    },
    test: {
      file: 'service/test/files/download-file.test.ts',
      name: 'a range is paid like the whole file, and HEAD costs nothing',
    },
  },
  {
    id: 'T15',
    defence: 'PostgreSQL refuses to change or delete the entry of a file, also to the owner of the table.',
    removal: {
      file: 'service/migrations/postgres/0026-files.sql',
      text: 'CREATE TRIGGER files_never_change BEFORE UPDATE OR DELETE ON files FOR EACH ROW EXECUTE FUNCTION refuse_change();',
      replacement: '',
    },
    test: { file: 'service/test/files/never-changed.test.ts', name: 'the entry of a file is never changed or deleted' },
  },
  {
    id: 'T15',
    defence: 'PostgreSQL accepts a manifest only if it follows the last one.',
    removal: {
      file: 'service/migrations/postgres/0027-manifests.sql',
      text: 'CREATE TRIGGER manifests_are_a_chain BEFORE INSERT ON manifests FOR EACH ROW EXECUTE FUNCTION require_chain();',
      replacement: '',
    },
    test: {
      file: 'service/test/files/never-changed.test.ts',
      name: 'a manifest that does not follow the last one is refused',
    },
  },
  {
    id: 'I15',
    defence: 'A file is made only when its rows did not change while it was written.',
    removal: {
      file: 'service/src/workers/make-file.ts',
      text: "if (JSON.stringify(recount) !== JSON.stringify(account)) return 'rows_changed'",
      replacement: '',
    },
    test: { file: 'service/test/files/interrupted-files.test.ts', name: 'rows that arrive while a file is written' },
  },
]
