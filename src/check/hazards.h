/* hazards.h - private to floor 1: the catalogue of what can be found, written once.
 *
 * X(id, category, title, cause, symptom, detection, remedy, silent). H1..H45 are what makes an operator unsafe
 * inside a SuperKernel, and `silent` tells why nothing shows un-fused, or why it seldom does; the rest is wrong anywhere
 * and has no `silent`. From these lists come the lookup (check.h), the explanations of the command line, what
 * reports say of findings that only fused modes have, and the documents. */
#ifndef SK_CHECK_HAZARDS_H
#define SK_CHECK_HAZARDS_H

#define SK__HAZARDS_FUSED(X) \
  X("H1", OPERATOR, "Whole-core barrier with fewer blocks than the SK", \
    "The sub-kernel uses SyncAll or a mode-0 flag on fewer blocks than the SK has cores; mode 0 counts every core of the launch.", \
    "Hang: the idle cores never arrive.", \
    "A mode-0 set runs in a sub-kernel with fewer blocks than the SK has cores of that type; waiting cores on ids 11..14 or a user id while others are idle.", \
    "Run the operator on all cores, give it schedmode 1 so that it is split off, or (GE path, hardware SyncAll only) set feed-sync-all=1. A hand-written mode-0 barrier is never completed for you.", \
    "Alone the launch has just the operator's blocks, and mode 0 counts those.") \
  X("H2", OPERATOR, "1:1 operator in a 1:2 SK: only some vector cores signal", \
    "In mode 2 the cube core gets its flag only after both vector cores of the launch have set; a 1:1 operator may set on one of them.", \
    "The cube core hangs, or flags stay behind on the second vector core.", \
    "Per AI core and id: the number of mode-2 sets differs between the two vector cores within one sub-kernel.", \
    "Let both vector cores set and wait the same number of times, or declare the operator MIX 1:2.", \
    "Alone a 1:1 launch starts one vector core per cube core, so one set completes the group.") \
  X("H3", OPERATOR, "1:1 operator in a 1:2 SK: Matmul called on the second vector core", \
    "Only the first vector core may talk to the matmul service; a message of the second is never received.", \
    "Hang.", \
    "A matmul message is posted from sub-block 1, or the second vector core waits for an answer.", \
    "Guard the Matmul calls so that only sub-block 0 issues them.", \
    "Alone a 1:1 launch has no second vector core that could call.") \
  X("H4", OPERATOR, "1:1 operator in a 1:2 SK: index arithmetic", \
    "GetBlockIdx of vector cores runs over twice the blocks while GetBlockNum stays, and GetTaskRation is 2.", \
    "Tiles out of range, written twice or missing.", \
    "Both vector cores of one AI core write the same device bytes in one sub-kernel, or an access leaves its tensor.", \
    "Derive the tile from GetBlockIdx()/GetTaskRation() and GetSubBlockIdx(); let sub-block 1 idle or share the tile.", \
    "Alone GetTaskRation is 1 and there is one vector core per block: the same arithmetic is right.") \
  X("H5", OPERATOR, "Launch-level block number", \
    "The raw block_num or block_idx register is read, which inside an SK belongs to the SK and not to the sub-kernel.", \
    "Wrong tiling, missing or double tiles; a hang when used for synchronisation.", \
    "A raw read of block_num inside a sub-kernel whose block count differs from that of the SK (equal: warning). A vector operator that read block_idx, and both vector cores of an AI core write the same device bytes.", \
    "Use GetBlockIdx() and GetBlockNum() (in C asc_get_block_idx() * asc_get_sub_block_num() + asc_get_sub_block_id()); in an __sk__ function the block count of its system arguments.", \
    "Alone the blocks of the launch are the operator's own.") \
  X("H6", FUSER, "Launch ratio below the operator's", \
    "The SK starts one vector core per cube core although it contains a 1:2 operator.", \
    "Half of the vector work is missing, or the cube core waits for the second vector core.", \
    "Per sub-kernel: ratio of the launch below the declared ratio.", \
    "Force 1:2 (debug-aic-num=a with debug-aiv-num=2a), or split the scope.", \
    "Alone the operator is launched with the ratio it declares.") \
  X("H7", OPERATOR, "Unbalanced cross-core flags leak into the next operator", \
    "A set without a wait, or a wait satisfied by an older set. Alone this does no harm, since a launch resets the counters.", \
    "The next operator passes a wait too early, a counter overflows, or something hangs.", \
    "At the end of a sub-kernel a user counter, or a set not yet combined into its group, differs from the value at its begin.", \
    "Pair every CrossCoreSetFlag with a wait on every path; drain flags before returning.", \
    "Every launch begins with all counters at zero and waits for nobody else's sets.") \
  X("H8", OPERATOR, "Collision of flag ids or modes", \
    "Ids 11..15 are used, or ids that Matmul objects own, or one id with a second mode before the first is complete.", \
    "A barrier opens early, or a hang.", \
    "A user set or wait on a reserved id; one id in two modes while sets or waits of the first are outstanding; an id above 15.", \
    "Use ids 0..10 that no Matmul owns, and complete one mode before reusing the id.", \
    "Alone nobody else uses the id: the barriers between sub-kernels, which own ids 11 to 15, are not there.") \
  X("H9", OPERATOR, "Consecutive sets taken as ordered", \
    "Two sets issued by one core may take effect in either order.", \
    "Rarely a wrong result.", \
    "Two unordered accesses of two cores in one kernel: the first core set a flag behind its access, and the second has waited only for a flag the first set later, on another pipe.", \
    "Protect each datum by a flag of its own.", \
    "Un-fused the pipes of a fresh launch have little to do, so that sets take effect in the order in which they were issued; the missing guarantee is found there too.") \
  X("H10", OPERATOR, "Compiled without the cross-core scheduler", \
    "The operator is declared AIC_ONLY or AIV_ONLY but uses cross-core synchronisation.", \
    "Works inside an SK by luck and fails alone, or the other way round.", \
    "A cross-core instruction in a sub-kernel whose declared type has no cross-core scheduler.", \
    "Declare MIX_AIC_1_0 or MIX_AIV_1_0.", \
    "Un-fused a launch without the scheduler counts no sets, so that a set that nobody waits for passes unnoticed; a wait hangs there, and in an SK of MIX type it works by luck.") \
  X("H11", OPERATOR, "Scalar write to device memory not flushed", \
    "A scalar store stays dirty in one core's data cache; nothing flushes at the end of a sub-kernel.", \
    "The next operator reads old data, or the line is written back later over newer data.", \
    "A byte dirty in a data cache at the end of a sub-kernel is read by another core or by DMA, or overwritten by DMA.", \
    "Call DataCacheCleanAndInvalid after the writes, use SetValue, or list the operator in dcci_after_kernel_end; do not set capability 4.", \
    "The end of every kernel cleans the whole data cache.") \
  X("H12", OPERATOR, "Stale scalar read", \
    "A line was cached by an earlier sub-kernel or iteration, then another core or DMA changed device memory.", \
    "Wrong values, only with two or more operators in one SK.", \
    "A scalar read hits a line that is older than an ordered write to one of the bytes read.", \
    "DataCacheCleanAndInvalid before reading, GetValue through GlobalTensor, or dcci_before_kernel_start.", \
    "The end of every kernel invalidates the data cache, so that the next operator loads its lines anew.") \
  X("H13", OPERATOR, "False sharing of a 64-byte line", \
    "Two cores scalar-write different bytes of one line, or one scalar-writes while another DMA-writes the rest; a line goes back whole.", \
    "Lost updates at random.", \
    "Two caches hold one line with disjoint dirty bytes, a write-back covers bytes that are newer in device memory, or nothing orders it with who wrote them.", \
    "Pad what each core writes to 64 bytes, or write it by DMA.", \
    "Between operators the end of the first kernel writes its lines back before the next begins. Within one operator it is not silent.") \
  X("H14", OPERATOR, "Cache line operation on an unaligned object", \
    "A single-line dcci acts on the line of one address; an object across a line boundary needs two.", \
    "The tail of the object is stale or lost.", \
    "Bytes of the same object are still dirty or stale in the next line after a single dcci.", \
    "Issue one dcci per 64-byte line.", \
    "The end of every kernel cleans and invalidates the whole data cache, the second line too.") \
  X("H15", OPTIONS, "Consecutive sub-kernels without a flush", \
    "The flush was disabled on neighbours, by option or by capability 4.", \
    "Chains of stale data.", \
    "Two adjacent sub-kernels without flush and without maintenance per access; an error once H11 or H12 is seen.", \
    "Disable the flush only for operators without scalar access to device memory.", \
    "Every kernel ends with a flush, whatever capability or option say.") \
  X("H16", OPTIONS, "Option and binary disagree on the cache flush", \
    "The flush is disabled for an operator whose binding lacks capability 4.", \
    "The framework flushes anyway: time lost, no wrong result.", \
    "The option names an operator whose binding does not carry the capability.", \
    "Rebuild the operator; until then it is flushed after its end.", \
    "Option and capability act inside an SK only.") \
  X("H17", HOST, "Arguments or tiling read through a stale data cache", \
    "An argument or tiling block that scalar code reads was rewritten by the host between launches, while a core still held its lines.", \
    "An operator runs with the arguments of the launch before.", \
    "A scalar read of a line that a core loaded in an earlier SK, which ended without a flush on that core (capability 4, dcci_disable_on_kernel), and that the host has rewritten since. That such lines outlive the launch is inferred.", \
    "Do not rewrite in place what fused operators read by scalar code: use other memory for each launch, leave the flush on, or invalidate the line before reading.", \
    "Every launch ends with an invalidation of the data caches, so that the next one loads its arguments anew.") \
  X("H18", OPERATOR, "Work on a pipe that the barrier between sub-kernels does not cover", \
    "Barriers between sub-kernels wait for FIX on cube and MTE3 on vector cores only; a last access on another pipe is not covered.", \
    "Now and then a wrong result.", \
    "Conflicting accesses of two sub-kernels to device memory without a happens-before path.", \
    "End the operator with PipeBarrier<PIPE_ALL>, or make its last FIX or MTE3 instruction depend on the other pipe by a flag.", \
    "A kernel ends when all its pipes have drained.") \
  X("H19", OPERATOR, "Local memory reused too early", \
    "A sub-kernel writes local memory that pipes still use for the sub-kernel before; nothing drains the pipes between them.", \
    "Corrupted output of the earlier operator.", \
    "A local access unordered with a conflicting one of the sub-kernel before on the same core.", \
    "As for H18; keep the waits with which TPipe gives back its buffers.", \
    "A kernel ends when all its pipes have drained, so that nothing reads its buffers any more.") \
  X("H20", OPERATOR, "Several TPipe objects in one operator", \
    "The full barrier at the destruction of a TPipe is removed in SK builds.", \
    "Buffers of the second pipe object overlap work of the first.", \
    "A conflict inside one sub-kernel whose ends lie before and behind the end of a TPipe, where only the un-fused build has a full barrier.", \
    "Insert PipeBarrier<PIPE_ALL>() between them.", \
    "Un-fused, the end of the first TPipe is a full barrier; builds for SKs leave it out.") \
  X("H21", OPERATOR, "TPipe not destroyed explicitly", \
    "An __sk__ function leaves its TPipe to the destructor.", \
    "Lost overlap by an extra barrier, or missing waits for buffers.", \
    "A function bound by SK_BIND whose TPipe ends other than by DestroyWithoutPipeAll (a note, no error).", \
    "Call pipe.DestroyWithoutPipeAll() at the end.", \
    "A kernel's own end drains all pipes anyway, so that the additional barrier costs nothing.") \
  X("H22", OPERATOR, "Unbalanced in-core events", \
    "SetFlag without WaitFlag at the end of a sub-kernel. A kernel end resets events, a function return does not.", \
    "A wait of the next operator passes too early, or an event is set twice.", \
    "Event flags at the end of a sub-kernel differ from those at its begin.", \
    "Consume every event; on cube cores keep the reserved M to MTE1 events as they were.", \
    "The end of a kernel resets all events.") \
  X("H23", OPERATOR, "Early-start call not made once per core", \
    "The call is conditional, in a loop, behind an early return, or missing in a tiling branch.", \
    "Missing: hang. Double: the next barrier opens one operator early.", \
    "Mode early-start: while the capability is set, some cores make the call more than once, or store results and do not make it (no core makes it: H26; a core without work does not: H27).", \
    "Call it exactly once on every path and for every tiling key.", \
    "Un-fused the early-start calls do nothing.") \
  X("H24", OPERATOR, "Access after SetNextTaskStart conflicts with later operators", \
    "After the call the operator still stores data that a later one reads, or loads data that a later one overwrites.", \
    "Wrong result that depends on timing.", \
    "An access after the call, or on a pipe it does not drain, unordered with a conflicting access of a later sub-kernel.", \
    "Move the call behind the last store to device memory, on the pipe that executes that store.", \
    "Un-fused the call does nothing: the next kernel starts when this one has ended.") \
  X("H25", OPERATOR, "Access before WaitPreTaskEnd conflicts with earlier operators", \
    "Before the call the operator loads output of a predecessor or stores to its input.", \
    "Wrong result that depends on timing.", \
    "An access before the call unordered with a conflicting access of an earlier sub-kernel.", \
    "Move WaitPreTaskEnd before the first dependent access to device memory.", \
    "Un-fused the call does nothing: this kernel starts when the one before has ended.") \
  X("H26", OPTIONS, "Early-start flags and options disagree", \
    "Capability bits, code and the early-start option do not belong together.", \
    "Hang, a barrier one operator early, or a compile error on the GE path.", \
    "Mode early-start: a capability bit is set and no core of the sub-kernel makes the call. Calls without the bit do nothing: they are gated by the configuration word.", \
    "Rebuild so that capability bits, code and option agree.", \
    "Un-fused the early-start calls do nothing, and nobody looks at the capability.") \
  X("H27", OPERATOR, "Early start with a data-dependent number of active cores", \
    "The SK signals for idle cores by the block count; an operator that decides at run time who is active breaks that.", \
    "Hang, or a barrier too early.", \
    "Mode early-start: cores below the block count return without the call and without a store, while others make it.", \
    "Make every core below the block count call once, whether it has work or not.", \
    "Un-fused the early-start calls do nothing, on whichever cores they are made.") \
  X("H28", OPERATOR, "Argument struct mismatch", \
    "A field lacks alignas(4), is in the wrong order, or is too many.", \
    "Accesses out of range, wrong results.", \
    "Field offsets, from the debug information, compared with the launch ABI (natural alignment, at least 4). Not judged: unions, bit fields, base classes.", \
    "Declare the fields in parameter order, with alignas(4) for types below 4 bytes.", \
    "Un-fused the kernel gets its parameters from the compiler; the struct is used by the bound function alone.") \
  X("H29", OPERATOR, "The __sk__ function differs from the kernel", \
    "Core type or body of the fused form is not that of the stand-alone kernel.", \
    "Other results in an SK, even alone in it.", \
    "Declared core types differ, or a single-operator SK gives another result while nothing else is found.", \
    "Keep the same kernel type and the same body in both.", \
    "Un-fused the kernel itself runs and not the bound function.") \
  X("H30", OPERATOR, "Binding problem", \
    "Metadata is missing, duplicated with a conflict, or does not fit the capabilities.", \
    "The operator is not fused.", \
    "A kernel that a program binds twice with other functions or capabilities (the other failure codes of fusibility come from graph dumps: skv plan).", \
    "Repair what the sub-code names and bind again.", \
    "A binding is not used un-fused.") \
  X("H31", FUSER, "Premature notify", \
    "A barrier before a notify was removed as redundant although only a later wait of the same queue justifies that.", \
    "The other stream goes on before all cores have finished.", \
    "A notify store that is not ordered after every core's last access of the producing kernel.", \
    "Keep the barrier; this is a defect of the fuser.", \
    "Un-fused the event is recorded when the whole kernel has ended.") \
  X("H32", OPERATOR, "Code that assumes a kernel end", \
    "The operator relies on the flush, drain or reset at a kernel end, returns with queues allocated, or traps.", \
    "What the next operator finds is not a fresh core.", \
    "A kernel of which a fused run finds two or more of H7, H11, H19, H22 and H33: a note that names them, beside the findings themselves.", \
    "Leave the core as it was found.", \
    "Every kernel end flushes, drains and resets, so that nothing shows what was left.") \
  X("H33", OPERATOR, "Residual core state", \
    "Atomic mode, vector mask, mask mode, saturation or quantisation registers stay changed; the next operator assumes defaults.", \
    "Wrong result, only behind that operator.", \
    "Atomic mode, CTRL, padding value or dequantisation scale at the end of a sub-kernel differ from the launch default (a warning), or the next uses them, or the vector mask, before setting them (an error).", \
    "Reset at the end (SetAtomicNone, default mask, InitSocState) and set what is needed at the start.", \
    "Every launch sets the registers to their defaults.") \
  X("H34", OPERATOR, "Uninitialised local memory", \
    "Local memory holds data of an earlier sub-kernel instead of what the operator found alone.", \
    "Results that depend on the neighbour.", \
    "A read of local bytes that this sub-kernel has not written and an earlier one has.", \
    "Initialise the buffer, or do not read padding.", \
    "Alone the buffer holds what happened to be there, most often the same at every run.") \
  X("H35", OPERATOR, "Assumptions about workspace contents", \
    "Workspace is expected to be zero although another operator or the replay before used it.", \
    "A soft barrier passes at once, or hangs.", \
    "A barrier through device memory (SyncAll with workspace, IBSet, IBWait, GroupBarrier) finds in its slots values that are neither zero nor its own, or is told to wait for more cores than run. Workspace of other kinds cannot be told from data: unwritten bytes and differing results show it.", \
    "Clear the workspace at the start, followed by a barrier, or restore zeros at the end.", \
    "Alone nobody else writes the workspace, and at its first run it is as the host left it.") \
  X("H36", FUSER, "Overlapping buffers across streams", \
    "Memory was reused between operators that were serial outside but run in parallel queues inside, or an event is missing.", \
    "A race that appears only after fusion.", \
    "Conflicting accesses of sub-kernels of different streams without a path, ordered in the un-fused run.", \
    "Add an event, keep the operators on one stream, or disable stream fusion for the scope.", \
    "Un-fused the operators run one after the other, by stream order or by the order in which they were queued.") \
  X("H37", OPTIONS, "Dynamic local memory beyond what the SK leaves", \
    "A sub-kernel needs more dynamic local memory than is left in the SK.", \
    "Build error.", \
    "The sum of needs compared with the size of the memory.", \
    "Use less, or leave the operator out of the scope.", \
    "Alone the operator has the whole local memory to itself.") \
  X("H38", OPERATOR, "Assumptions about core identity", \
    "Work is mapped by physical core id, or block i is expected on the same core as in the operator before.", \
    "Wrong data on the wrong core.", \
    "The physical core id is read inside a sub-kernel.", \
    "Use GetBlockIdx only.", \
    "Alone block i runs on core i.") \
  X("H39", HOST, "Deadlock over cores", \
    "Kernels of two streams that synchronise across cores need more cores together than the device has, or an SK waits for a kernel that gets none.", \
    "Hang.", \
    "Two launches that no stream or event orders, both of which met in barriers over all their cores, neither with schedmode 1, and which together need more cores of a type than there are. Or a launch that an SK waits for does not fit beside it.", \
    "Use schedmode 1, fewer blocks, or cut the scope at the wait.", \
    "Un-fused kernels of two streams seldom start at the same moment, and one that finds all its cores free never waits for the other; that nothing orders them is found there too.") \
  X("H40", OPTIONS, "Barrier operator with other core counts in one SK", \
    "Capability 8 or a missing flag keeps the splitter from isolating an operator that uses a barrier.", \
    "Hang as in H1 when the counts differ.", \
    "Mode-0 synchronisation in a sub-kernel without schedmode 1 on fewer cores than the device has (different counts in one SK: H1).", \
    "Declare schedmode 1; remove capability 8 unless the operator tolerates idle cores.", \
    "Alone the launch has just the cores the operator asks for.") \
  X("H41", OPTIONS, "Value-wait bypass misused", \
    "A wait was fused whose writer is outside the graph or behind the SK on the same stream.", \
    "The SK polls for ever and holds all cores.", \
    "An SK's queue waits for a value (aclrtValueWait), and nothing that can run before the SK's end writes it. skv plan of a graph dump: a value wait inside an SK for a value that nobody in the graph writes.", \
    "Remove the bypass, or move the wait out of the scope.", \
    "Un-fused a wait is an entry of its stream and holds no core, so that the writer can run.") \
  X("H42", HOST, "Parameters refreshed after optimisation", \
    "Arguments of a fused task are changed in place; the queue of the SK has a copy.", \
    "The operator keeps running with the old arguments.", \
    "An update of a fused task after optimisation (sk_model_update, superkernel/model.h; task groups are not modelled).", \
    "Exclude the operator with a None scope.", \
    "Un-fused a replay reads the arguments of the task itself.") \
  X("H43", OPERATOR, "Operator with a smaller block count at run time", \
    "The tiling is computed on the device; the operator is called on every core below the SK's block count.", \
    "Extra cores run with an index at or above the block count.", \
    "An active core with GetBlockIdx at or above GetBlockNum.", \
    "Return early when GetBlockIdx() >= GetBlockNum().", \
    "Un-fused the kernel is launched with the block count that the tiling gives.") \
  X("H44", HOST, "Event word not reset before a replay", \
    "The reset of an event lies outside the graph or behind its next use.", \
    "The second replay runs ahead.", \
    "An event that a captured model records, waits for and does not reset is reset outside of it (a warning as long as the model is not optimised).", \
    "Keep notify, wait and reset of an event in the graph.", \
    "Each replay of the captured model finds the events as the host left them; the SK takes their words as they are.") \
  X("H45", OPTIONS, "A debug option hides the defect", \
    "debug_sync_all, debug_dcci_all and op_trace add barriers and flushes.", \
    "The defect disappears while it is looked for.", \
    "Findings are computed for the queue without these options; the matrix of options only narrows the cause. What a program fused itself with debug_sync_all (aclskOptimize), or with debug-sync-all or debug-dcci-all (sk_ge_compile, graph mode), is planned and run once more without them: what is found only then.", \
    "Do not ship with the option; repair what the matrix points to.", \
    "Un-fused every kernel ends with the barrier, drain and flush that the debug options add inside an SK.")

#define SK__HAZARDS_ANYWHERE(X) \
  X("GM_OUT_OF_BOUNDS", OPERATOR, "Access outside every allocation", \
    "An access to device memory leaves the allocation it started in.", \
    "Memory fault on the chip, or other data overwritten.", \
    "Every access is compared with the live allocations; red zones lie around each.", \
    "Correct the address, the length or the tail handling.") \
  X("GM_USE_AFTER_FREE", HOST, "Access to freed device memory", \
    "A kernel or copy uses memory that was freed before it ran.", \
    "Other data read or overwritten.", \
    "Freed ranges are remembered.", \
    "Free after the stream has finished with the memory.") \
  X("GM_FREE_INVALID", HOST, "Free of something that is not an allocation", \
    "The address was freed before, or never was the start of an allocation.", \
    "The runtime refuses, or its heap breaks.", \
    "The address is looked up among live allocations.", \
    "Free each allocation once, by the address that the allocation returned.") \
  X("RED_ZONE", OPERATOR, "Bytes beside an allocation changed", \
    "Something wrote just before or behind an allocation.", \
    "Other data overwritten.", \
    "The pattern beside the allocation is compared when it is freed.", \
    "Correct the extent of the last store.") \
  X("LOCAL_OUT_OF_BOUNDS", OPERATOR, "Access outside a local memory or array", \
    "The extent by mask, repeat and strides passes the end of the memory, or of the declared array in which it begins.", \
    "Exception, or another buffer overwritten.", \
    "Every operand's extent is compared with the capacity and with the arrays; a guard stands behind each array.", \
    "Correct repeat count, strides or the buffer's place, or make the array larger.") \
  X("LOCAL_MISALIGNED", OPERATOR, "Local address not aligned", \
    "An operand does not start where the memory demands.", \
    "Exception, or the low address bits are ignored.", \
    "Start addresses are checked per memory and instruction.", \
    "Align the buffer: 32 bytes for UB and L1, more for the other memories.") \
  X("BAD_ARGUMENT", OPERATOR, "Argument out of its legal range", \
    "A count, stride, mask, mode or type has no meaning on the chip.", \
    "Exception or undefined result.", \
    "Every instruction checks its arguments.", \
    "Use a value from the documented range.") \
  X("NO_DATA_PATH", OPERATOR, "No data path between two memories", \
    "The chip cannot move data this way.", \
    "Does not compile, or exception.", \
    "Source and destination are compared with the paths of the chip.", \
    "Go through a memory that both sides reach.") \
  X("OVERLAP", OPERATOR, "Operands overlap in a way that has no defined result", \
    "Source and destination of an instruction share bytes without being the same.", \
    "Result depends on timing inside the instruction.", \
    "Extents of the operands are compared.", \
    "Use the same address or separate buffers.") \
  X("DEADLOCK", OPERATOR, "No core can go on", \
    "Every running core waits for something that nobody left can do.", \
    "Hang until the time limit of the device.", \
    "Found at once: no fiber can run. The waits and the missing participants are listed. On the host: a callback that waits for the device, or for a stream or an event that waits for the callback.", \
    "Do the missing set, or remove the superfluous wait.") \
  X("ENDLESS", OPERATOR, "Kernel does not end", \
    "A core ran past its budget of instructions.", \
    "Hang until the time limit of the device.", \
    "Instructions are counted per core and launch.", \
    "Correct the loop; raise the budget if the work is that long.") \
  X("KERNEL_FAULT", OPERATOR, "Kernel faulted", \
    "A bad pointer, an arithmetic trap, a stack overflow or an abort inside a kernel.", \
    "Exception on the device; the stream fails.", \
    "The signal is caught and ends the launch, not the process.", \
    "Correct the code at the place named.") \
  X("TRAP", OPERATOR, "Kernel stopped itself", \
    "The kernel executed trap or a failed assertion.", \
    "Exception on the device; inside an SK the whole SK stops.", \
    "The call is seen.", \
    "Correct what the kernel complains about.") \
  X("WATCHED_ACCESS", OPERATOR, "Access to a range that the kernel watches", \
    "CheckLocalMemoryIA watches a range of UB, and an access of a watched kind falls into it.", \
    "Exception on the device; the stream fails.", \
    "Every recorded access to UB is compared with the ranges of its core's four exception registers. The run goes on behind it.", \
    "Keep the access out of the range, or end the watch before it: CheckLocalMemoryIA with isEnable false.") \
  X("TENSOR_OVERFLOW", OPERATOR, "Call beyond the end of a tensor", \
    "A count is larger than the tensor it goes with, or repeats and strides go beyond its buffer, into a neighbouring one.", \
    "Overwritten or foreign data.", \
    "Count forms compare with the sizes of their tensors; every operand that begins in a buffer of the TPipe has to end in it.", \
    "Make the buffer larger or the count smaller; use SetSize only to tell a tensor's true size.") \
  X("QUEUE_STATE", OPERATOR, "Queue used out of order", \
    "A buffer is allocated, enqueued, dequeued or freed in an order its queue does not allow, or it belongs to another queue.", \
    "Hang or overwritten data.", \
    "Each buffer of a queue keeps its state: free, allocated, enqueued, dequeued.", \
    "Follow AllocTensor, EnQue, DeQue, FreeTensor for every buffer, on the queue it came from.") \
  X("QUEUE_LEAK", OPERATOR, "Queue buffer not given back", \
    "A buffer is still allocated or enqueued when its pipe object ends.", \
    "Events stay set; the next kernel on the core goes wrong.", \
    "States of all buffers at the end of the TPipe.", \
    "Call FreeTensor for every tensor that AllocTensor or DeQue gave.") \
  X("QUEUE_DOUBLE_FREE", OPERATOR, "Queue buffer freed twice", \
    "FreeTensor is called for a buffer that is free already.", \
    "An event is set twice.", \
    "State of the buffer at FreeTensor.", \
    "Free each tensor once.") \
  X("QUEUE_USE_AFTER_FREE", OPERATOR, "Tensor used after it was freed", \
    "An instruction or scalar code uses a tensor between its FreeTensor and the next AllocTensor that gives the buffer out again.", \
    "The buffer's next owner overwrites what is read, or gets overwritten, depending on timing.", \
    "Operands and scalar accesses that begin in a buffer that FreeTensor has given back.", \
    "Call FreeTensor after the last use; for another use allocate a tensor.") \
  X("QUEUE_LIMIT", OPERATOR, "More buffers or events than there are", \
    "A TPipe has at most 64 buffers, a pair of pipes eight event ids, a queue eight buffers.", \
    "Assertion in the framework, or a hang.", \
    "Counts at InitBuffer and at each event taken.", \
    "Use fewer or larger buffers; release event ids.") \
  X("FLAG_UNPAIRED", OPERATOR, "Event or cross-core flag without its partner", \
    "A set is left at the end of the kernel, or a wait never gets its set.", \
    "The next kernel on the core goes wrong, or a hang.", \
    "Flags are compared with the state at the launch.", \
    "Pair every set with one wait on every path.") \
  X("FLAG_SET_TWICE", OPERATOR, "Event set while it is still set", \
    "The same event of the same pair of pipes is set again before its wait.", \
    "Undefined; a later barrier may hang.", \
    "The bit is tested at every set.", \
    "Wait before setting again, or use another id.") \
  X("FLAG_RESERVED", OPERATOR, "Reserved flag id", \
    "Event ids 6 and 7 belong to the system (cross-core ids 11..15: H8).", \
    "Barriers of the system open early or hang.", \
    "Ids are checked at every set.", \
    "Use event ids 0..5.") \
  X("FLAG_NO_PAIR", OPERATOR, "Event between pipes that have none", \
    "The chip has no event flags for this pair of pipes on this kind of core.", \
    "Exception or hang.", \
    "The pair is compared with the pairs of the core type.", \
    "Go through a pipe that has events with both.") \
  X("CROSS_FLAG_OVERFLOW", OPERATOR, "Cross-core counter overflow", \
    "More than 15 sets of one id are outstanding.", \
    "Exception.", \
    "Counters are four bits wide.", \
    "Wait as often as the other side sets, or throttle the setting side.") \
  X("CROSS_NOT_MIXED", OPERATOR, "Cross-core synchronisation in a kernel that is not MIX", \
    "The hardware that counts cross-core flags is on only for MIX launches.", \
    "Hang.", \
    "The type of the launch is compared at every cross-core instruction.", \
    "Declare the kernel as a MIX type.") \
  X("UNINITIALISED_READ", OPERATOR, "Read of bytes that were never written", \
    "The bytes have no writer since they were allocated (device memory) or since the kernel began (local memory).", \
    "Results differ from run to run.", \
    "Each byte's last writer is known.", \
    "Write the bytes first, or do not read them.") \
  X("UNWRITTEN_OUTPUT", OPERATOR, "Result that nobody wrote in whole", \
    "Kernels write only a part of an output: a tile is left out, or the tail is not handled. Or nothing: no branch takes the tiling key, the tiling data says no work.", \
    "The rest holds whatever stood there before.", \
    "A copy to the host takes bytes that nobody has written from an allocation that kernels have written in part, or that was the argument of a launch. Gaps below 32 bytes up to a multiple of 32 count as padding.", \
    "Write the whole output, also the last tile, or copy only what is written; where nothing was written look at tiling data and key.") \
  X("UNDEFINED_RESULT", OPERATOR, "Result that depends on memory nobody has written", \
    "Padding, an uncleared buffer or what a neighbour left goes into the arithmetic, not only along with the data.", \
    "Right as long as the memory happens to hold zeros; else other results from run to run.", \
    "The reference finds zeros where nobody has written, every other mode ones (bytes 0xff), and what an earlier sub-kernel left. Results that differ for this reason alone are told when the host copies them; padding that passes through as it was found is not. Not served: reads by scalar code.", \
    "Initialise what is read beyond the data, or do not let it into the result (exact k of Mmad, masks, counts).") \
  X("ORDER_DEPENDENT", OPERATOR, "Float sums in the order in which cores come", \
    "Cores add floats to the same device memory by DMA atomics, and nothing fixes their order. Sums that are exact in any order, and integers, do not care.", \
    "Results differ from run to run in the last bits.", \
    "Results differ between modes by no more than other orders of the sums explain (a note, no failure): 2 n u P, with n additions at the call site, u half a unit in the last place of 1, P the largest partial sum.", \
    "Nothing where rounding does not matter; else add in a fixed order, or in integers.") \
  X("LOST_RESULT", OPERATOR, "Result overwritten before anybody read it", \
    "An instruction overwrites bytes of local memory that an earlier one of the same kernel has written and nobody has read: a buffer is not switched, or a result is not used.", \
    "The earlier result is missing, or work is done for nothing.", \
    "Only with --unread: a write to bytes whose last access in this kernel or sub-kernel was a write (a note, no failure). Not told of fills (Duplicate, Fill), which initialise what is written in part later.", \
    "Use the result before its place is written again, switch buffers, or leave out what computes it.") \
  X("SYNC_LOCAL", OPERATOR, "Local memory used by two pipes without synchronisation", \
    "A set/wait pair or a barrier is missing between two accesses of which one writes.", \
    "Wrong result that depends on timing.", \
    "Happens-before over pipes: the two accesses have no path.", \
    "set_flag after the first and wait_flag before the second, or pipe_barrier.") \
  X("SAME_PIPE", OPERATOR, "Instructions of one pipe overlap without a barrier", \
    "A later instruction of a pipe may start before an earlier one has written; it reads or overwrites those bytes.", \
    "Old or mixed data, depending on timing.", \
    "The last writer of the bytes is an earlier instruction of the same pipe, with neither pipe_barrier nor a flag round trip between. An error for the data movers and the cube; a warning for V, where many kernels rely on order.", \
    "pipe_barrier of the pipe (asc_sync_pipe) between the two.") \
  X("SYNC_GM", OPERATOR, "Unordered accesses to device memory", \
    "Two cores, pipes or launches access the same bytes, one of them writes, and nothing orders them.", \
    "Wrong result that depends on timing.", \
    "Happens-before over pipes, cores and launches: the two accesses have no path.", \
    "A flag between the pipes, a cross-core flag or SyncAll between the cores, an event between the streams.") \
  X("SK_PROGRAM", FUSER, "SuperKernel program breaks its own rules", \
    "The fuser calls a function on cores that the SK does not start, or leaves an early start open across a barrier.", \
    "Missing results, or a barrier that opens early.", \
    "The instruction lists of each SK are checked before it runs. Edges without synchronisation show as unordered accesses when it runs (H18, H19).", \
    "Report it with the graph (skv run --save-graph).") \
  X("LAUNCH_INVALID", HOST, "Launch that the chip cannot run", \
    "Block count, argument size or kernel type are out of range; or what is launched is a null pointer or no kernel, or a kernel is called like a function.", \
    "The launch is refused.", \
    "Checked by the call that launches, which also returns an error.", \
    "Correct the launch.") \
  X("GM_ARGUMENT", HOST, "Pointer argument outside device memory", \
    "A parameter declared as device pointer points to host memory or nowhere.", \
    "Memory fault at the first access.", \
    "Pointer arguments are looked up at the launch.", \
    "Pass an address that the device allocator returned.") \
  X("NOT_MODELLED", NOT_MODELLED, "Not modelled", \
    "The real system can do this, the simulator does not.", \
    "None on the chip; the run stops here with the name of the thing.", \
    "Every interface names what it leaves out.", \
    "Avoid the feature in the run, or extend the simulator.") \
  X("HISTORY_LOST", INTERNAL, "Host memory ran out while recording accesses", \
    "The records of who accessed what could not grow.", \
    "None on the chip; conflicts may be missed from here on.", \
    "The allocation failed.", \
    "Give the process more memory, or check a smaller part at a time.") \
  X("INTERNAL", INTERNAL, "Invariant of the simulator broken", \
    "A state that cannot be was reached.", \
    "None on the chip.", \
    "Consistency checks.", \
    "Report it with the command that leads there.")

#endif
