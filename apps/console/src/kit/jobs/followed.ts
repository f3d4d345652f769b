/** Ids of jobs whose progress is shown by their own screen; other notifications skip them. */
export const followedJobs = new Set<number>()
