// Messages written down byte for byte from the tables of MS-SMB2, independent of parse and build.

#include "engine/wire/close.h"
#include "engine/wire/create.h"
#include "engine/wire/error_response.h"
#include "engine/wire/file_info.h"
#include "engine/wire/frame_header.h"
#include "engine/wire/header.h"
#include "engine/wire/lease_contexts.h"
#include "engine/wire/negotiate.h"
#include "engine/wire/negotiate_contexts.h"
#include "engine/wire/query_info.h"
#include "engine/wire/read.h"
#include "engine/wire/session_setup.h"
#include "engine/wire/smb1_negotiate.h"
#include "engine/wire/tree_connect.h"
#include "engine/wire/write.h"
#include "tests/unit/wire_generators.h"

namespace semblance::wire::test {
namespace {

// "01 02 | 0A": hexadecimal digits, anything else is for the reader's eye.
std::vector<uint8_t> hex(std::string_view text) {
  std::vector<uint8_t> bytes;
  int high = -1;
  for (char c : text) {
    int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (digit < 0) continue;
    if (high < 0) {
      high = digit;
    } else {
      bytes.push_back(static_cast<uint8_t>(high << 4 | digit));
      high = -1;
    }
  }
  return bytes;
}

// A body behind 64 zero bytes.
std::vector<uint8_t> message(std::string_view body) {
  std::vector<uint8_t> bytes(kHeaderSize), tail = hex(body);
  bytes.insert(bytes.end(), tail.begin(), tail.end());
  return bytes;
}

constexpr FileId kFileId = {0x0807060504030201, 0x1817161514131211};
constexpr std::string_view kHexFileId = "01 02 03 04 05 06 07 08 11 12 13 14 15 16 17 18";

std::string with_file_id(std::string_view before, std::string_view after) {
  return std::string(before).append(kHexFileId).append(after);
}

// Given bytes and what they mean: parsing the one gives the other, building the other gives the
// one.
template <typename T>
void expect_layout(const std::vector<uint8_t>& bytes, const T& meaning) {
  EXPECT_EQ(encode(meaning), bytes);
  Result<T> parsed = T::parse(bytes);
  ASSERT_TRUE(parsed.has_value());
  EXPECT_TRUE(same(*parsed, meaning));
}

TEST(Vector, SyncHeader) {
  expect_layout(hex("FE 53 4D 42 | 40 00 | 01 00 | 16 00 00 C0 | 01 00 | 1F 00 | 09 00 00 00"
                    "00 00 00 00 | 02 00 00 00 00 00 00 00 | FF FE 00 00 | 05 00 00 00"
                    "41 00 00 00 00 04 00 00 | 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F"),
                Header{.credit_charge = 1,
                       .status = static_cast<uint32_t>(NtStatus::kMoreProcessingRequired),
                       .command = Command::kSessionSetup,
                       .credits = 31,
                       .flags = kFlagServerToRedir | kFlagSigned,
                       .message_id = 2,
                       .process_id = 0xFEFF,
                       .tree_id = 5,
                       .session_id = 0x0000040000000041,
                       .signature = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}});
}

TEST(Vector, AsyncHeader) {
  expect_layout(hex("FE 53 4D 42 | 40 00 | 00 00 | 03 01 00 00 | 0F 00 | 01 00 | 03 00 00 00"
                    "68 00 00 00 | 07 00 00 00 00 00 00 00 | 08 00 00 00 01 00 00 00"
                    "00 00 00 00 00 00 00 00 | 00000000 00000000 00000000 00000000"),
                Header{.status = static_cast<uint32_t>(NtStatus::kPending),
                       .command = Command::kChangeNotify,
                       .credits = 1,
                       .flags = kFlagServerToRedir | kFlagAsyncCommand,
                       .next_command = 104,
                       .message_id = 7,
                       .async_id = 0x0000000100000008});
}

TEST(Vector, FrameLengthIsBigEndian) {
  expect_layout(hex("00 01 02 03"), FrameHeader{.length = 0x010203});
}

// The dialects of the example in MS-SMB2 4.2.
TEST(Vector, MultiProtocolNegotiate) {
  std::vector<uint8_t> bytes =
      hex("FF 53 4D 42 | 72 | 00 00 00 00 | 18 | 53 C8 | 00 00 | 00 00 00 00 00 00 00 00 | 00 00"
          "FF FF | FF FE | 00 00 | 00 00 | 00 | 00 00");
  for (std::string_view dialect : {"PC NETWORK PROGRAM 1.0", "LANMAN1.0", "LM1.2X002", "LANMAN2.1",
                                   "NT LM 0.12", "SMB 2.002", "SMB 2.???"}) {
    bytes.push_back(2);
    bytes.insert(bytes.end(), dialect.begin(), dialect.end());
    bytes.push_back(0);
  }
  store(bytes.data() + 33, static_cast<uint16_t>(bytes.size() - 35));
  Result<Smb1NegotiateRequest> parsed = Smb1NegotiateRequest::parse(bytes);
  ASSERT_TRUE(parsed.has_value());
  EXPECT_TRUE(parsed->offers_smb_2_002);
  EXPECT_TRUE(parsed->offers_smb_2_wildcard);
  bytes.back() = 'x';  // the last dialect no longer ends
  EXPECT_FALSE(Smb1NegotiateRequest::parse(bytes).has_value());
}

TEST(Vector, NegotiateRequestWithContexts) {
  const uint16_t dialects[] = {0x0202, 0x0210, 0x0300, 0x0302, 0x0311};
  std::vector<uint8_t> contexts = hex("02 00 | 04 00 | 00 00 00 00 | 01 00 | 02 00");
  expect_layout(
      message("24 00 | 05 00 | 01 00 | 00 00 | 7F 00 00 00"
              "A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 AA AB AC AD AE AF | 70 00 00 00 | 01 00 | 00 00"
              "02 02 10 02 00 03 02 03 11 03 | 00 00 | 02 00 04 00 00 00 00 00 01 00 02 00"),
      NegotiateRequest{.security_mode = kNegotiateSigningEnabled,
                       .capabilities = 0x7F,
                       .client_guid = {0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9,
                                       0xAA, 0xAB, 0xAC, 0xAD, 0xAE, 0xAF},
                       .dialects = U16List::of(dialects),
                       .context_count = 1,
                       .contexts = contexts});
}

TEST(Vector, NegotiateResponseWithoutContexts) {
  std::vector<uint8_t> token = hex("60 03 06 01 00");
  expect_layout(
      message("41 00 | 01 00 | 10 02 | 00 00 | 00000000 00000000 00000000 00000001"
              "07 00 00 00 | 00 00 10 00 | 00 00 20 00 | 00 00 40 00"
              "00 80 3E D5 DE B1 9D 01 | 00 00 00 00 00 00 00 00 | 80 00 | 05 00"
              "00 00 00 00 | 60 03 06 01 00"),
      NegotiateResponse{.security_mode = kNegotiateSigningEnabled,
                        .dialect_revision = Dialect::kSmb210,
                        .server_guid = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
                        .capabilities = kGlobalCapDfs | kGlobalCapLeasing | kGlobalCapLargeMtu,
                        .max_transact_size = 1 << 20,
                        .max_read_size = 2 << 20,
                        .max_write_size = 4 << 20,
                        .system_time = FileTime::from_unix(0, 0),
                        .security_buffer = token});
}

TEST(Vector, SessionSetup) {
  std::vector<uint8_t> token = hex("AA BB");
  expect_layout(message("19 00 | 01 | 02 | 01 00 00 00 | 00 00 00 00 | 58 00 | 02 00"
                        "09 00 00 00 00 00 00 00 | AA BB"),
                SessionSetupRequest{.flags = kSessionSetupFlagBinding,
                                    .security_mode = 2,
                                    .capabilities = kGlobalCapDfs,
                                    .previous_session_id = 9,
                                    .security_buffer = token});
  expect_layout(message("09 00 | 04 00 | 48 00 | 02 00 | AA BB"),
                SessionSetupResponse{kSessionFlagEncryptData, token});
}

TEST(Vector, TreeConnect) {
  std::vector<uint8_t> path = hex("5C 00 5C 00 73 00 5C 00 74 00");
  expect_layout(message("09 00 | 00 00 | 48 00 | 0A 00 | 5C 00 5C 00 73 00 5C 00 74 00"),
                TreeConnectRequest{.path = path});
  expect_layout(message("10 00 | 01 | 00 | 30 00 00 00 | 10 00 00 00 | FF 01 1F 00"),
                TreeConnectResponse{ShareType::kDisk, kShareFlagNoCaching,
                                    kShareCapContinuousAvailability, kFileAllAccess});
}

TEST(Vector, CreateRequestWithContexts) {
  std::vector<uint8_t> name = hex("61 00 62 00 63 00");
  std::vector<uint8_t> contexts =
      hex("00 00 00 00 10 00 04 00 00 00 00 00 00 00 00 00 4D 78 41 63 00 00 00 00");
  expect_layout(message("39 00 | 00 | 09 | 02 00 00 00 | 00000000 00000000 | 00000000 00000000"
                        "9F 01 12 00 | 20 00 00 00 | 07 00 00 00 | 03 00 00 00 | 40 00 00 00"
                        "78 00 | 06 00 | 80 00 00 00 | 18 00 00 00 | 61 00 62 00 63 00 | 00 00"
                        "00 00 00 00 10 00 04 00 00 00 00 00 00 00 00 00 4D 78 41 63 00 00 00 00"),
                CreateRequest{.requested_oplock_level = OplockLevel::kBatch,
                              .impersonation_level = ImpersonationLevel::kImpersonation,
                              .desired_access = kFileGenericRead | kFileGenericWrite,
                              .file_attributes = kFileAttributeArchive,
                              .share_access = kFileShareRead | kFileShareWrite | kFileShareDelete,
                              .create_disposition = CreateDisposition::kOpenIf,
                              .create_options = kFileNonDirectoryFile,
                              .name = name,
                              .contexts = contexts});
}

TEST(Vector, CreateAndCloseResponse) {
  constexpr std::string_view kTimesAndSizes =
      "01 00 00 00 00 00 00 00 | 02 00 00 00 00 00 00 00 | 03 00 00 00 00 00 00 00"
      "04 00 00 00 00 00 00 00 | 00 10 00 00 00 00 00 00 | 05 00 00 00 00 00 00 00 | 20 00 00 00";
  expect_layout(message(std::string("59 00 | FF | 00 | 02 00 00 00")
                            .append(kTimesAndSizes)
                            .append(with_file_id("00 00 00 00", "00 00 00 00 | 00 00 00 00"))),
                CreateResponse{.oplock_level = OplockLevel::kLease,
                               .create_action = CreateAction::kCreated,
                               .creation_time = {1},
                               .last_access_time = {2},
                               .last_write_time = {3},
                               .change_time = {4},
                               .allocation_size = 4096,
                               .end_of_file = 5,
                               .file_attributes = kFileAttributeArchive,
                               .file_id = kFileId});
  expect_layout(message(std::string("3C 00 | 01 00 | 00 00 00 00").append(kTimesAndSizes)),
                CloseResponse{kCloseFlagPostqueryAttrib, {1}, {2}, {3}, {4}, 4096, 5, 0x20});
  expect_layout(message(with_file_id("18 00 | 01 00 | 00 00 00 00", "")),
                CloseRequest{kCloseFlagPostqueryAttrib, kFileId});
}

TEST(Vector, ReadAndWrite) {
  std::vector<uint8_t> data = hex("64 61 74 61");
  expect_layout(
      message(with_file_id("31 00 | 50 | 00 | 00 02 00 00 | 00 04 00 00 00 00 00 00",
                           "01 00 00 00 | 00 00 00 00 | 00 00 00 00 | 00 00 | 00 00 | 00")),
      ReadRequest{
          .padding = 0x50, .length = 512, .offset = 1024, .file_id = kFileId, .minimum_count = 1});
  expect_layout(message("11 00 | 50 | 00 | 04 00 00 00 | 00 00 00 00 | 00 00 00 00 | 64 61 74 61"),
                ReadResponse{.data = data});
  expect_layout(
      message(with_file_id("31 00 | 70 00 | 04 00 00 00 | 00 04 00 00 00 00 00 00",
                           "00 00 00 00 | 00 00 00 00 | 00 00 | 00 00 | 01 00 00 00"
                           "64 61 74 61")),
      WriteRequest{
          .offset = 1024, .file_id = kFileId, .flags = kWriteFlagWriteThrough, .data = data});
  expect_layout(message("11 00 | 00 00 | 04 00 00 00 | 00 00 00 00 | 00 00 | 00 00"),
                WriteResponse{.count = 4});
}

TEST(Vector, ErrorWithoutDataHasOneByte) {
  EXPECT_EQ(encode(ErrorResponse{}), message("09 00 | 00 | 00 | 00 00 00 00 | 00"));
}

TEST(Vector, QueryInfoRequest) {
  expect_layout(message(with_file_id("29 00 | 01 | 12 | 00 10 00 00 | 00 00 | 00 00 | 00 00 00 00"
                                     "00 00 00 00 | 00 00 00 00",
                                     "00")),
                QueryInfoRequest{.info_type = InfoType::kFile,
                                 .file_info_class = static_cast<uint8_t>(FileInfoClass::kAll),
                                 .output_buffer_length = 4096,
                                 .file_id = kFileId});
}

TEST(Vector, LeaseV2) {
  expect_layout(
      hex("000102030405060708090A0B0C0D0E0F | 07 00 00 00 | 04 00 00 00"
          "00 00 00 00 00 00 00 00 | F0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF | 03 00 | 00 00"),
      LeaseContext{.version = LeaseVersion::kV2,
                   .lease_key = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                   .lease_state = kLeaseReadCaching | kLeaseHandleCaching | kLeaseWriteCaching,
                   .lease_flags = kLeaseFlagParentLeaseKeySet,
                   .parent_lease_key = {0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9,
                                        0xFA, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF},
                   .epoch = 3});
}

TEST(Vector, FileStandardInformation) {
  expect_layout(hex("00 10 00 00 00 00 00 00 | 05 00 00 00 00 00 00 00 | 01 00 00 00"
                    "00 | 01 | 00 00"),
                FileStandardInformation{4096, 5, 1, false, true});
}

}  // namespace
}  // namespace semblance::wire::test
