import { join } from 'node:path'

/** Folder of the videos of the demo. A build copies the folder beside the bundle. */
export const VIDEO_FOLDER = join(import.meta.dirname, 'videos')
