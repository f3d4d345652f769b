import { join, resolve } from 'node:path'
import { type Config, readConfig } from '#core/config/config.ts'
import { type Database, openDatabase } from '#core/database/client.ts'
import type { Media } from '#core/media/media.ts'
import { openMedia } from '#core/media/open-media.ts'
import { openFileStore } from '#core/storage/open-store.ts'
import { listRetainedDays, markMissingVideos } from '#modules/storage/video/verify-objects.ts'
import { parseArguments } from './arguments.ts'
import type { Command } from './command.ts'
import { readManifest } from './manifest.ts'
import { restoreBackup } from './restore.ts'

const USAGE = 'restore <目录>'

/**
 * Marks videos that the local store does not hold. Checks no bucket, because a bucket already holds the videos of the
 * former installation.
 */
async function missingVideos(media: Media, { pool }: Database): Promise<number> {
  // A backup of an earlier build has no table of videos.
  const { rows } = await pool.query<{ found: boolean }>(`select to_regclass('oss_segments') is not null as found`)
  if (!rows[0]?.found) return 0
  return media.kind === 'local' ? (await markMissingVideos(pool, media, await listRetainedDays(pool))).length : 0
}

/** Opens the store of videos. Throws when its directory is not usable. */
async function openUsableMedia(config: Config): Promise<Media> {
  const media = await openMedia(config)
  if (media.kind === 'local') await media.check()
  return media
}

export const restoreCommand: Command = {
  name: 'restore',
  usage: USAGE,
  summary: '把备份恢复到空的数据目录（DATA_DIR、DATABASE_URL）；先停止服务',
  async run(args, { env, print }) {
    const folder = resolve(parseArguments(args, USAGE, {}).first)
    const config = readConfig(env)
    // Reports a mistyped folder and an unusable directory for videos before a database is created for it.
    await readManifest(folder)
    const media = await openUsableMedia(config)
    // Opens the database as a server, so that no other process uses the folder meanwhile.
    const database = await openDatabase(config, { role: 'server', warn: print })
    try {
      const files = await openFileStore({ dataDir: config.dataDir, s3: config.s3 })
      const secretKeyFile = env.OMS_SECRET_KEY ? undefined : join(config.dataDir, 'secret.key')
      const manifest = await restoreBackup({ connection: database.connection, files, secretKeyFile }, folder)
      const rows = manifest.tables.reduce((total, table) => total + table.rows, 0)
      print(
        `恢复完成：${manifest.tables.length} 张表 ${rows} 行，${manifest.files.length} 个文件（备份于 ${manifest.takenAt}）`,
      )
      const missing = await missingVideos(media, database)
      if (missing > 0) print(`备份不含录像文件：${missing} 段录像不在录像存储中，已标记为缺失`)
    } finally {
      await database.close()
      await media.close()
    }
  },
}
